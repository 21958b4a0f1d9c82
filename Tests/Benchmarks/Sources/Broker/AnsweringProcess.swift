internal import Foundation

/// The answering program as a process of its own: this executable with the subcommand `answer`.
///
/// It ends when its standard input does. That needs no signal (which a process may have inherited as blocked), and also
/// happens when this process is killed.
enum AnsweringProcess {
    /// What the process prints when it is ready.
    static let readyLine = "ready"

    /// Starts the process, lends it to `body`, and ends it.
    ///
    /// - Parameter arguments: those of `answer`. It has this process's environment, where the broker's password is.
    /// - Throws: ``LimitFailure`` when the process ends before it is ready, and what `body` throws.
    static func with<Result: Sendable>(
        arguments: [String], _ body: () async throws -> Result
    ) async throws -> Result {
        let process = Process()
        process.executableURL = URL(fileURLWithPath: "/proc/self/exe").resolvingSymlinksInPath()
        process.arguments = ["answer"] + arguments
        let input = Pipe()
        let output = Pipe()
        process.standardInput = input
        process.standardOutput = output
        let (ended, ending) = AsyncStream<Void>.makeStream()
        process.terminationHandler = { _ in ending.finish() }
        try process.run()

        let result: Swift.Result<Result, any Error>
        do {
            guard await isReady(output.fileHandleForReading) else {
                throw LimitFailure("the answering process has ended before it was ready")
            }
            result = .success(try await body())
        } catch {
            result = .failure(error)
        }
        try? input.fileHandleForWriting.close()
        for await _ in ended {}
        return try result.get()
    }

    /// Waits, on a thread that may block, for the first bytes: there are none when the process has ended.
    private static func isReady(_ output: FileHandle) async -> Bool {
        await withCheckedContinuation { continuation in
            DispatchQueue(label: "zonda.limits.ready").async {
                let text = String(decoding: output.availableData, as: UTF8.self)
                continuation.resume(returning: text.hasPrefix(readyLine))
            }
        }
    }

    /// Returns at the end of standard input.
    static func waitForEndOfInput() async {
        await withCheckedContinuation { continuation in
            DispatchQueue(label: "zonda.limits.input").async {
                while !FileHandle.standardInput.availableData.isEmpty {}
                continuation.resume()
            }
        }
    }
}
