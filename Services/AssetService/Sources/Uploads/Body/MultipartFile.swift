internal import CloudKitModel
internal import Glibc
internal import NIOCore

/// Extracts the first file of a `multipart/form-data` body (RFC 7578). The body can arrive in pieces of any size.
/// Buffers at most the headers of one part or the bytes of one delimiter.
struct MultipartFile: Sendable {
    /// The maximum size of a part's headers, in bytes.
    static let maxHeaderBytes = 16 * 1024

    private enum State {
        /// Before the first delimiter, or in a part that is not a file.
        case skipping
        /// After a delimiter: before the end of its line, or before the two hyphens of the last delimiter.
        case delimiter
        case headers
        case file
        /// After the file, or after the last delimiter.
        case done(hadFile: Bool)
    }

    private let delimiter: [UInt8]
    private var state = State.skipping
    /// The bytes that have not been parsed yet. They begin with an added line break, because a delimiter at the very
    /// beginning of a body is not preceded by one.
    private var rest = ByteBuffer(string: "\r\n")

    /// Parses a `Content-Type`; nil if it is not `multipart/form-data`.
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

    /// Parses the next piece of the body, and returns the bytes in it that belong to the file.
    ///
    /// - Throws: `multipart_malformed`.
    mutating func append(_ piece: ByteBuffer) throws(ServerError) -> ByteBuffer {
        rest.writeImmutableBuffer(piece)
        var file = ByteBuffer()
        while try step(&file) {}
        rest.discardReadBytes()
        return file
    }

    /// Checks, at the end of the body, that it contained a complete file.
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

    /// Parses one element. Returns false if more bytes are needed.
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
                    throw Self.malformed("has a delimiter line that is too long")
                }
                return false
            }
            // The end of the line is not consumed: in a part without headers, the empty line follows directly.
            rest.moveReaderIndex(forwardBy: end)
            state = .headers
            return true
        case .headers:
            guard let end = rest.index(of: "\r\n\r\n") else {
                guard rest.readableBytes <= Self.maxHeaderBytes else {
                    throw Self.malformed("has headers that are too long")
                }
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

    /// Takes the bytes before the next delimiter, and the delimiter. If there is no delimiter, the method takes all
    /// bytes that cannot be the beginning of one.
    private mutating func takeUntilDelimiter() -> (bytes: ByteBuffer, isFound: Bool) {
        let end = rest.index(of: delimiter)
        let bytes = rest.readSlice(length: end ?? max(0, rest.readableBytes - delimiter.count + 1)) ?? ByteBuffer()
        if end != nil { rest.moveReaderIndex(forwardBy: delimiter.count) }
        return (bytes, end != nil)
    }

    /// Returns whether a part is a file, as indicated by a file name in its `Content-Disposition`.
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
    /// Returns the offset of `pattern`, which must not be empty, in the readable bytes.
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
