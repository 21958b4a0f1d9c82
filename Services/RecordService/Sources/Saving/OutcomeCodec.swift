package import CloudKitModel
package import RecordStorage
internal import SignedTokens

/// Encodes the part of a write's outcome that is kept to answer repeated requests. For each operation, this is the
/// record's name, type, change tag and times, or the error. Field values are not kept; see ``ModifyAnswer``.
package enum OutcomeCodec {
    /// The part of one operation's outcome that is kept.
    package enum Kept: Sendable, Equatable {
        /// The record was saved with these system fields. The link is set only for a record that is not shared.
        case saved(
            name: RecordName, type: RecordTypeID, changeTag: String, created: Stamp, modified: Stamp,
            link: String? = nil)
        /// The record was deleted.
        case deleted(name: RecordName)
        /// The operation was refused.
        case failed(ServerError, name: RecordName?)

        package typealias Stamp = StoredRecord.Stamp
    }

    private static let version: UInt8 = 3
    /// The first byte of the encoded refusal of a whole request.
    private static let refusalVersion: UInt8 = 4

    /// Encodes `outcome`.
    package static func encode(_ outcome: WriteOutcome) -> [UInt8] {
        var writer = BinaryWriter()
        writer.append(version)
        writer.append(UInt8(outcome.isAtomicFailure ? 1 : 0))
        writer.append(UInt32(outcome.operations.count))
        for operation in outcome.operations {
            switch operation {
            case .saved(let record):
                writer.append(UInt8(0))
                writer.append(record.name.rawValue)
                writer.append(record.type.rawValue)
                writer.append(record.changeTag)
                encode(record.created, to: &writer)
                encode(record.modified, to: &writer)
            case .deleted(let name):
                writer.append(UInt8(1))
                writer.append(name.rawValue)
            case .failed(let error, let name, _):
                writer.append(UInt8(2))
                writer.append(name?.rawValue)
                encode(error, to: &writer)
            }
        }
        encodeLinks(of: outcome, to: &writer)
        return writer.bytes
    }

    /// Appends the links of records that have a link but are not shared. Earlier releases ignore bytes after the last
    /// operation.
    private static func encodeLinks(of outcome: WriteOutcome, to writer: inout BinaryWriter) {
        for (position, operation) in outcome.operations.enumerated() {
            guard case .saved(let record) = operation, let sharing = record.sharing, sharing.shareName == nil,
                let link = sharing.link
            else { continue }
            writer.append(UInt32(position))
            writer.append(link)
        }
    }

    private static func decodeLinks(_ reader: inout BinaryReader, into operations: inout [Kept]) {
        while let position: UInt32 = reader.read(), let link = reader.readText() {
            guard operations.indices.contains(Int(position)),
                case .saved(let name, let type, let changeTag, let created, let modified, _) = operations[Int(position)]
            else { return }
            operations[Int(position)] = .saved(
                name: name, type: type, changeTag: changeTag, created: created, modified: modified, link: link)
        }
    }

    /// Decodes the result of ``encode(_:)``. Returns nil if the bytes are damaged or have a different version.
    package static func decode(_ bytes: [UInt8]) -> (operations: [Kept], isAtomicFailure: Bool)? {
        var reader = BinaryReader(bytes)
        guard reader.read(UInt8.self) == version, let atomic: UInt8 = reader.read(), let count: UInt32 = reader.read()
        else { return nil }
        var operations: [Kept] = []
        for _ in 0..<count {
            guard let operation = decodeOperation(&reader) else { return nil }
            operations.append(operation)
        }
        decodeLinks(&reader, into: &operations)
        return (operations, atomic == 1)
    }

    /// Encodes the refusal of a whole request.
    package static func encode(refusal error: ServerError) -> [UInt8] {
        var writer = BinaryWriter()
        writer.append(refusalVersion)
        encode(error, to: &writer)
        return writer.bytes
    }

    /// Decodes the result of ``encode(refusal:)``. Returns nil if the bytes contain the outcomes of operations.
    package static func decodeRefusal(_ bytes: [UInt8]) -> ServerError? {
        var reader = BinaryReader(bytes)
        guard reader.read(UInt8.self) == refusalVersion else { return nil }
        return decodeError(&reader)
    }

    /// Returns the types of the records in an encoded outcome.
    package static func types(in bytes: [UInt8]) -> Set<RecordTypeID> {
        var types: Set<RecordTypeID> = []
        for case .saved(_, let type, _, _, _, _) in decode(bytes)?.operations ?? [] { types.insert(type) }
        return types
    }

    private static func decodeOperation(_ reader: inout BinaryReader) -> Kept? {
        switch reader.read(UInt8.self) {
        case 0:
            guard let name = reader.readText(), let type: Int32 = reader.read(), let tag = reader.readText(),
                let created = decodeStamp(&reader), let modified = decodeStamp(&reader)
            else { return nil }
            return .saved(
                name: RecordName(unchecked: name), type: RecordTypeID(type), changeTag: tag, created: created,
                modified: modified)
        case 1:
            return reader.readText().map { .deleted(name: RecordName(unchecked: $0)) }
        case 2:
            guard let name = reader.readOptionalText(), let error = decodeError(&reader) else { return nil }
            return .failed(error, name: name.map(RecordName.init(unchecked:)))
        default:
            return nil
        }
    }

    private static func encode(_ stamp: StoredRecord.Stamp, to writer: inout BinaryWriter) {
        writer.append(stamp.milliseconds)
        writer.append(stamp.user)
        writer.append(stamp.device)
    }

    private static func decodeStamp(_ reader: inout BinaryReader) -> StoredRecord.Stamp? {
        guard let milliseconds: Int64 = reader.read(), let user = reader.readText(), let device = reader.readText()
        else { return nil }
        return StoredRecord.Stamp(milliseconds: milliseconds, user: user, device: device)
    }

    private static func encode(_ error: ServerError, to writer: inout BinaryWriter) {
        writer.append(error.code.rawValue)
        writer.append(Int64(error.ckErrorCode))
        writer.append(error.reasonCode)
        writer.append(error.reason)
        writer.append(error.field)
        writer.append(error.recordType)
        writer.append(error.limit)
        writer.append(error.actual)
        writer.append(error.retryAfter)
    }

    private static func decodeError(_ reader: inout BinaryReader) -> ServerError? {
        guard let code = reader.readText().flatMap(ServerErrorCode.init), let number: Int64 = reader.read(),
            let reasonCode = reader.readText(), let reason = reader.readText(),
            let field = reader.readOptionalText(), let recordType = reader.readOptionalText(),
            let limit = reader.readOptionalNumber(),
            let actual = reader.readOptionalNumber(), let retryAfter = reader.readOptionalNumber()
        else { return nil }
        return ServerError(
            reported: code, ckErrorCode: Int(number), reasonCode: reasonCode, reason: reason, field: field,
            recordType: recordType, limit: limit, actual: actual, retryAfter: retryAfter)
    }
}
