internal import CloudKitModel
internal import Glibc
internal import NIOCore

/// Takes the first file out of a `multipart/form-data` body (RFC 7578), however the body is cut into pieces. It keeps no
/// more than a part's headers or a delimiter's length back.
struct MultipartFile: Sendable {
    /// Past this many bytes of headers a part is refused.
    static let maxHeaderBytes = 16 * 1024

    private enum State {
        /// Before the first delimiter, or in a part that is no file.
        case skipping
        /// Behind a delimiter: the end of its line, or the two hyphens of the last one.
        case delimiter
        case headers
        case file
        /// The file, or the body, is over.
        case done(hadFile: Bool)
    }

    private let delimiter: [UInt8]
    private var state = State.skipping
    /// What is not decided yet. The first delimiter may stand at the very beginning, where its line end is missing.
    private var rest = ByteBuffer(string: "\r\n")

    /// Reads a `Content-Type`; nil when it is not `multipart/form-data`.
    ///
    /// - Throws: `multipart_boundary_invalid`.
    init?(contentType: String?) throws(ServerError) {
        guard let contentType, let value = HeaderValue(contentType), value.name == "multipart/form-data" else {
            return nil
        }
        guard let boundary = value.parameters["boundary"], (1...70).contains(boundary.utf8.count) else {
            throw ServerError(
                .multipartBoundaryInvalid, "A multipart body needs a boundary of 1 to 70 characters",
                field: "content-type")
        }
        delimiter = Array("\r\n--\(boundary)".utf8)
    }

    /// Takes the next piece of the body, and returns what of the file has become clear.
    ///
    /// - Throws: `multipart_malformed`.
    mutating func take(_ piece: ByteBuffer) throws(ServerError) -> ByteBuffer {
        rest.writeImmutableBuffer(piece)
        var file = ByteBuffer()
        while try step(&file) {}
        rest.discardReadBytes()
        return file
    }

    /// That was the whole body.
    ///
    /// - Throws: `multipart_malformed`, `multipart_without_file`.
    func finish() throws(ServerError) {
        switch state {
        case .done(hadFile: true): return
        case .done(hadFile: false):
            throw ServerError(.multipartWithoutFile, "No part of the body has a file name", field: "body")
        default: throw Self.malformed("ends before its last delimiter")
        }
    }

    /// Whether there may be more to do with what is there.
    private mutating func step(_ file: inout ByteBuffer) throws(ServerError) -> Bool {
        switch state {
        case .skipping:
            let (_, isFound) = takeUntilDelimiter()
            if isFound { state = .delimiter }
            return isFound
        case .file:
            let (bytes, isFound) = takeUntilDelimiter()
            file.writeImmutableBuffer(bytes)
            if isFound { state = .done(hadFile: true) }
            return isFound
        case .delimiter:
            guard rest.readableBytes >= 2 else { return false }
            if rest.begins(with: "--") {
                state = .done(hadFile: false)
                return true
            }
            guard let end = rest.index(of: "\r\n") else {
                guard rest.readableBytes <= Self.maxHeaderBytes else {
                    throw Self.malformed("has an endless delimiter")
                }
                return false
            }
            // The line's end stays: a part without headers has an empty line right here.
            rest.moveReaderIndex(forwardBy: end)
            state = .headers
            return true
        case .headers:
            guard let end = rest.index(of: "\r\n\r\n") else {
                guard rest.readableBytes <= Self.maxHeaderBytes else { throw Self.malformed("has endless headers") }
                return false
            }
            let headers = rest.readString(length: end) ?? ""
            rest.moveReaderIndex(forwardBy: 4)
            state = Self.isFile(headers) ? .file : .skipping
            return true
        case .done:
            rest.clear()
            return false
        }
    }

    /// The bytes before the next delimiter, which is passed, or all that cannot be the beginning of one.
    private mutating func takeUntilDelimiter() -> (bytes: ByteBuffer, isFound: Bool) {
        let end = rest.index(of: delimiter)
        let bytes = rest.readSlice(length: end ?? max(0, rest.readableBytes - delimiter.count + 1)) ?? ByteBuffer()
        if end != nil { rest.moveReaderIndex(forwardBy: delimiter.count) }
        return (bytes, end != nil)
    }

    /// A part is a file when its `Content-Disposition` has a file name.
    private static func isFile(_ headers: String) -> Bool {
        headers.split(separator: "\r\n").contains { line in
            let parts = line.split(separator: ":", maxSplits: 1)
            guard parts.count == 2, parts[0].lowercased() == "content-disposition",
                let value = HeaderValue(String(parts[1]))
            else { return false }
            return value.parameters["filename"] != nil || value.parameters["filename*"] != nil
        }
    }

    private static func malformed(_ problem: String) -> ServerError {
        ServerError(.multipartMalformed, "The multipart body \(problem)", field: "body")
    }
}

extension ByteBuffer {
    /// Where `pattern`, which is not empty, begins among the readable bytes.
    fileprivate func index(of pattern: [UInt8]) -> Int? {
        withUnsafeReadableBytes { bytes in
            guard let base = bytes.baseAddress, bytes.count >= pattern.count else { return nil }
            let last = bytes.count - pattern.count
            var start = 0
            while start <= last, let found = memchr(base + start, Int32(pattern[0]), last - start + 1) {
                if memcmp(found, pattern, pattern.count) == 0 { return base.distance(to: UnsafeRawPointer(found)) }
                start = base.distance(to: UnsafeRawPointer(found)) + 1
            }
            return nil
        }
    }

    fileprivate func index(of pattern: String) -> Int? { index(of: Array(pattern.utf8)) }

    fileprivate func begins(with text: String) -> Bool { readableBytesView.starts(with: text.utf8) }
}
