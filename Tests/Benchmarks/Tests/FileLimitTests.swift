import Foundation
import ServiceLimits
import Testing

@Suite struct FileLimitTests {
    /// More than one piece, the last of which is incomplete.
    private let bytes = 600_001

    @Test func theWholeFileIsServed() throws {
        try withFile { file, _ in
            let served = try FileLimit.serve(file)
            #expect(served.count == bytes)
        }
    }

    @Test func theWholeFileIsWrittenAndNothingIsLeft() throws {
        try withFile { file, folder in
            let written = try FileLimit.write(file, into: folder)
            #expect(written.count == bytes)
            let left = try FileManager.default.contentsOfDirectory(atPath: folder)
            #expect(left == ["file"])
        }
    }

    @Test func aFileThatIsNotThereIsNoMeasurement() {
        #expect(throws: LimitFailure.self) { try FileLimit.serve("/nowhere/file") as Throughput }
        #expect(throws: LimitFailure.self) { try FileLimit.write("/nowhere/file", into: "/tmp") as Throughput }
    }

    private func withFile(_ body: (_ file: String, _ folder: String) throws -> Void) throws {
        let folder = FileManager.default.temporaryDirectory.appending(path: UUID().uuidString)
        try FileManager.default.createDirectory(at: folder, withIntermediateDirectories: false)
        defer { try? FileManager.default.removeItem(at: folder) }
        let file = folder.appending(path: "file")
        try Data(repeating: 7, count: bytes).write(to: file)
        try body(file.path(), folder.path())
    }
}
