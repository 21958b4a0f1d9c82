import CLibPQ
import Glibc

/// A wrapper that owns one `PGconn` and provides the libpq functions that this module uses.
///
/// Not `Sendable`, because libpq allows only one thread at a time to use a connection. Only the actor that owns the
/// handle uses it.
final class ConnectionHandle {
    private let pointer: OpaquePointer

    private init(_ pointer: OpaquePointer) {
        self.pointer = pointer
    }

    deinit {
        PQfinish(pointer)
    }

    /// Starts connecting. Blocks while host names are looked up; ``poll()`` performs the remaining steps.
    static func start(_ parameters: [(keyword: String, value: String)]) throws(PostgresError) -> ConnectionHandle {
        let keywords = parameters.map { strdup($0.keyword) } + [nil]
        let values = parameters.map { strdup($0.value) } + [nil]
        defer {
            for string in keywords + values { free(string) }
        }
        let started = PQconnectStartParams(keywords.map { UnsafePointer($0) }, values.map { UnsafePointer($0) }, 1)
        guard let started else { throw PostgresError(.connectFailed, message: "libpq is out of memory") }
        let handle = ConnectionHandle(started)
        guard PQstatus(started) != CONNECTION_BAD else { throw handle.connectError() }
        // By default, libpq prints notices to standard error.
        PQsetNoticeProcessor(started, { _, _ in }, nil)
        PQsetErrorVerbosity(started, PQERRORS_VERBOSE)
        return handle
    }

    enum ConnectProgress {
        case needsRead, needsWrite, connected, failed
    }

    /// Performs the next step of connecting. Read `socket` again after each step, because libpq may have continued with
    /// another address.
    func poll() -> ConnectProgress {
        switch PQconnectPoll(pointer) {
        case PGRES_POLLING_READING: .needsRead
        case PGRES_POLLING_WRITING: .needsWrite
        case PGRES_POLLING_OK: .connected
        default: .failed
        }
    }

    /// Prepares a new connection: makes it non-blocking, enables pipeline mode, and returns the handle for cancel
    /// requests.
    func beginWork() throws(PostgresError) -> CancelHandle {
        guard PQsetnonblocking(pointer, 1) == 0, PQenterPipelineMode(pointer) == 1, let cancel = PQgetCancel(pointer)
        else { throw connectError() }
        return CancelHandle(cancel)
    }

    var socket: Int32 { PQsocket(pointer) }
    var isBad: Bool { PQstatus(pointer) == CONNECTION_BAD }
    var isEncrypted: Bool { PQsslInUse(pointer) != 0 }
    /// The id of the server process, as in `pg_stat_activity.pid`.
    var serverProcess: Int32 { PQbackendPID(pointer) }
    var message: String { String(cString: PQerrorMessage(pointer)).trimmed }

    enum Transaction {
        case none, open, failed
        /// A statement is running, or the connection is broken.
        case unknown
    }

    /// The transaction status that the server reported when it last became ready.
    var transaction: Transaction {
        switch PQtransactionStatus(pointer) {
        case PQTRANS_IDLE: .none
        case PQTRANS_INTRANS: .open
        case PQTRANS_INERROR: .failed
        default: .unknown
        }
    }

    /// Returns the reason why connecting failed. libpq 15 gives no access to the fields of this report, so the SQLSTATE
    /// is parsed from the text. The verbose form contains it directly after the severity.
    func connectError() -> PostgresError {
        let message = message
        return PostgresError(.connectFailed, sqlState: SQLState(inVerboseMessage: message), message: message)
    }

    // MARK: Sending. Each method returns whether libpq accepted the call; if not, `message` contains the reason.

    func sendPrepare(name: String, sql: String, types: [PostgresType]) -> Bool {
        types.withUnsafeBytes { types in
            PQsendPrepare(
                pointer, name, sql, Int32(types.count / 4), types.assumingMemoryBound(to: Oid.self).baseAddress)
        } == 1
    }

    /// Executes a prepared statement with binary parameters and binary results.
    func sendExecute(name: String, _ parameters: ParameterBuffer) -> Bool {
        parameters.withPointers { count, values, lengths, formats in
            PQsendQueryPrepared(pointer, name, count, values, lengths, formats, 1)
        } == 1
    }

    /// Parses and executes a statement without preparing it for later use.
    func sendQuery(sql: String, types: [PostgresType], _ parameters: ParameterBuffer) -> Bool {
        types.withUnsafeBytes { types in
            parameters.withPointers { count, values, lengths, formats in
                PQsendQueryParams(
                    pointer, sql, count, types.assumingMemoryBound(to: Oid.self).baseAddress, values, lengths,
                    formats, 1)
            }
        } == 1
    }

    func sendSync() -> Bool { PQpipelineSync(pointer) == 1 }

    /// Leaves pipeline mode and sends several statements over the simple query protocol.
    func sendScript(_ script: String) -> Bool {
        PQexitPipelineMode(pointer) == 1 && PQsendQuery(pointer, script) == 1
    }

    func resumePipelineMode() -> Bool { PQenterPipelineMode(pointer) == 1 }

    enum FlushOutcome {
        case done, wouldBlock, failed
    }

    func flush() -> FlushOutcome {
        switch PQflush(pointer) {
        case 0: .done
        case 1: .wouldBlock
        default: .failed
        }
    }

    // MARK: Receiving

    /// Reads the available data without waiting. `false` means that the connection is broken.
    func consumeInput() -> Bool { PQconsumeInput(pointer) == 1 }

    /// Whether `nextResult()` would block.
    var isBusy: Bool { PQisBusy(pointer) == 1 }

    func nextResult() -> ResultHandle? { PQgetResult(pointer).map(ResultHandle.init) }

    /// Makes the statement whose results arrive next deliver its rows one at a time.
    func enterSingleRowMode() -> Bool { PQsetSingleRowMode(pointer) == 1 }
}

extension SQLState {
    /// Parses the code from text such as `… failed: FATAL: 28P01: password authentication failed …`, in any language.
    init?(inVerboseMessage message: String) {
        let bytes = Array(message.utf8)
        let isCodeByte = { (byte: UInt8) in (0x30...0x39).contains(byte) || (0x41...0x5A).contains(byte) }
        let colon = UInt8(ascii: ":")
        let space = UInt8(ascii: " ")
        let start = bytes.indices.first { index in
            index + 9 <= bytes.count && bytes[index] == colon && bytes[index + 1] == space
                && bytes[index + 2] == space && bytes[(index + 3)..<(index + 8)].allSatisfy(isCodeByte)
                && bytes[index + 8] == colon
        }
        guard let start else { return nil }
        self.init(rawValue: String(decoding: bytes[(start + 3)..<(start + 8)], as: UTF8.self))
    }
}

extension String {
    /// The text without the line break that ends libpq's messages.
    var trimmed: String {
        var text = Substring(self)
        while let last = text.last, last.isWhitespace { text.removeLast() }
        return String(text)
    }
}
