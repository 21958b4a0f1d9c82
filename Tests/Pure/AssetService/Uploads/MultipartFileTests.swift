import AssetTestSupport
import CloudKitModel
import NIOCore
import Testing

@testable import AssetService

struct MultipartFileTests {
    static let contentType = "multipart/form-data; boundary=\"x y\""

    /// Returns the file in a body that arrives in pieces of the given length.
    static func file(in body: String, piece: Int, contentType: String = contentType) throws -> String {
        var multipart = try #require(try MultipartFile(contentType: contentType))
        var file = ""
        let bytes = Array(body.utf8)
        for start in stride(from: 0, to: bytes.count, by: piece) {
            let taken = try multipart.append(ByteBuffer(bytes: bytes[start..<min(start + piece, bytes.count)]))
            file += String(buffer: taken)
        }
        try multipart.finish()
        return file
    }

    static func body(_ parts: String...) -> String {
        parts.map { "--x y\r\n\($0)\r\n" }.joined() + "--x y--\r\n"
    }

    static let files =
        "Content-Disposition: form-data; name=\"files\"; filename=\"file.file\"\r\n"
        + "Content-Type: application/octet-stream\r\n\r\n"

    @Test(arguments: [1, 2, 3, 7, 16, 1000])
    func theFirstFileIsTakenHoweverItIsCut(piece: Int) throws {
        let field = "Content-Disposition: form-data; name=\"a\"\r\n\r\nnot this"
        // Text that resembles a delimiter but is not one.
        let content = "one\r\n--x\r\n--x \r\n-\r\r\n\n--x y"
        let found = try Self.file(
            in: "preamble\r\n" + Self.body(field, "\r\nno headers", Self.files + content, Self.files + "second"),
            piece: piece)
        #expect(found == content)
    }

    @Test(arguments: [1, 1000])
    func anEmptyFileIsAFile(piece: Int) throws {
        let found = try Self.file(in: Self.body(Self.files), piece: piece)
        #expect(found == "")
    }

    @Test func aBodyOfFieldsHasNoFile() throws {
        let error = #expect(throws: ServerError.self) {
            try Self.file(in: Self.body("Content-Disposition: form-data; name=\"a\"\r\n\r\n1"), piece: 5)
        }
        #expect(error?.reasonCode == "multipart_without_file")
    }

    @Test(arguments: ["", "--x y\r\n", "--x y\r\n\(files)cut off", "nothing at all"])
    func aBodyThatEndsTooSoonIsRefused(body: String) {
        let error = #expect(throws: ServerError.self) { try Self.file(in: body, piece: 4) }
        #expect(error?.reasonCode == "multipart_malformed")
    }

    @Test func endlessHeadersAreRefused() {
        let header = "X: " + String(repeating: "y", count: 2 * MultipartFile.maxHeaderBytes)
        let error = #expect(throws: ServerError.self) { try Self.file(in: Self.body(header), piece: 1000) }
        #expect(error?.reasonCode == "multipart_malformed")
    }

    @Test(arguments: [nil, "application/octet-stream", "multipart/mixed; boundary=a", "", "image/png; boundary=x"])
    func otherTypesAreNoForms(contentType: String?) throws {
        let multipart = try MultipartFile(contentType: contentType)
        #expect(multipart == nil)
    }

    @Test(arguments: ["multipart/form-data", "multipart/form-data; boundary=", "Multipart/Form-Data; boundary=\"\""])
    func aFormNeedsABoundary(contentType: String) {
        let error = #expect(throws: ServerError.self) { try MultipartFile(contentType: contentType) }
        #expect(error?.field == "content-type")
    }

    @Test(arguments: ["multipart/form-data;boundary=x y", "MULTIPART/FORM-DATA; charset=utf-8; Boundary=\"x y\""])
    func theBoundaryIsReadInEverySpelling(contentType: String) throws {
        let found = try Self.file(in: Self.body(Self.files + "1"), piece: 10, contentType: contentType)
        #expect(found == "1")
    }
}
