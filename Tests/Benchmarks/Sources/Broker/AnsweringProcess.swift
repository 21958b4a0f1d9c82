internal import Foundation

/// The answering program as a separate process, which is this executable with the subcommand `answer`.
///
/// It ends when its standard input ends. This works without a signal, which may be blocked by an inherited mask, and
/// even if this process is killed.
enum AnsweringProcess {
    /// The line that the process prints when it is ready.
    static let readyLine = "ready"

    /// Starts the process, runs `body`, and ends the process.
    ///
    /// - Parameter arguments: the arguments of `answer`. The process inherits the environment, which contains the
    ///   broker's password.
    /// - Throws: ``LimitFailure`` if the process ends before it is ready; the errors of `body`.
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
                throw LimitFailure("the answering process ended before it was ready")
            }
            result = .success(try await body())
        } catch {
            result = .failure(error)
        }
        try? input.fileHandleForWriting.close()
        for await _ in ended {}
        return try result.get()
    }

    /// Waits for the first bytes on a thread that may block. There are none if the process has ended.
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
