import Foundation
import TestSupport
import Testing

extension EndToEndTests {
    /// `deploy/compose.yaml`, as far as it can be tested without a container engine.
    @Suite(.timeLimit(.minutes(1))) struct ComposeTests {
        @Test func secretsAreMadeInExactlyTheFoldersThatAreMounted() async throws {
            let compose = try ComposeFile()
            let folders = try compose.mounts(of: "secrets").map { mount in
                try #require(mount.target.wholeMatch(of: /\/secrets\/([a-z]+)/)?.output.1, "\(mount)")
            }
            #expect(folders.count > 7)
            let secrets = FileManager.default.temporaryDirectory.appending(path: TestEnvironment.uniqueName("secrets"))
            try FileManager.default.createDirectory(at: secrets, withIntermediateDirectories: true)
            defer { try? FileManager.default.removeItem(at: secrets) }
            for folder in folders {
                try FileManager.default.createDirectory(
                    at: secrets.appending(path: folder), withIntermediateDirectories: true)
            }
            let script = """
                if [ "$(id -u)" = 0 ]; then
                    chown 10001:10001 "$2"/*
                    chmod 0555 "$2"
                    exec setpriv --reuid=10001 --regid=10001 --clear-groups -- "$1" provision secrets "$2"
                fi
                exec "$1" provision secrets "$2"
                """
            let binary = "\(try TestEnvironment.required().binaries)/zonda"
            // The second time, nothing is left to create, and nothing may fail.
            for _ in 0..<2 {
                let shell = try ChildProcess(
                    "/bin/sh", ["-euc", script, "sh", binary, secrets.path],
                    environment: ["PATH": "/usr/bin:/bin:/usr/sbin"])
                let exit = try await shell.exit(within: .seconds(30))
                #expect(exit == .code(0), "\(shell.errorText)")
            }
            for folder in folders {
                let files = try FileManager.default.contentsOfDirectory(
                    atPath: secrets.appending(path: folder).path)
                #expect(!files.isEmpty, "nothing is written to \(folder)")
            }
        }

        @Test func everyContainerReadsItsOwnSecretsOnly() throws {
            let compose = try ComposeFile()
            for name in ["record", "asset", "subscription", "gateway", "postgres", "rabbitmq"] {
                let secrets = try compose.mounts(of: name).filter { $0.volume.hasSuffix("-secrets") }
                #expect(secrets.map(\.volume) == ["\(name)-secrets"])
                #expect(secrets.allSatisfy { $0.isReadOnly })
            }
        }

        @Test func everyContainerIsConfined() throws {
            let compose = try ComposeFile()
            for name in compose.services {
                let text = try compose.text(of: name)
                for setting in [
                    "cap_drop: [ALL]", "no-new-privileges:true", "mem_limit:", "pids_limit:", "networks:",
                ] { #expect(text.contains(setting), "\(name) lacks \(setting)") }
            }
        }

        @Test func noTwoServicesShareANetwork() throws {
            let compose = try ComposeFile()
            let services = ["record", "asset", "subscription", "gateway"]
            let networks = try services.flatMap { try compose.networks(of: $0) }
            #expect(Set(networks).count == networks.count)
            // PostgreSQL has no access to the outside.
            for network in try compose.networks(of: "postgres") {
                #expect(compose.whole.contains("  \(network): {internal: true}"))
            }
        }

        @Test func imagesOfOthersHaveATagThatStaysAsItIs() throws {
            let images = try ComposeFile().whole.matches(of: /image: \$\{[A-Z_]+:-([^}]+)\}/).map(\.output.1)
            #expect(images.count == 2)
            for image in images { #expect(image.firstMatch(of: /:\d+\.\d+(\.\d+)?-/) != nil, "\(image)") }
        }

        @Test(arguments: [
            ("gateway", "ZONDA_HTTP_TRUSTED_PROXIES"), ("gateway", "ZONDA_HTTP_PROXY_FIELD"),
            ("asset", "ZONDA_HTTP_TRUSTED_PROXIES"), ("gateway", "ZONDA_PRODUCERS"), ("record", "ZONDA_PRODUCERS"),
            ("asset", "ZONDA_PRODUCERS"),
            ("subscription", "ZONDA_PRODUCERS"),
        ])
        func whatOperatorsSetIsPassedOn(service: String, variable: String) throws {
            // Without a value here, the variable is set only if the environment sets it. An empty value would be
            // refused.
            #expect(try ComposeFile().text(of: service).contains("\n      \(variable):\n"))
        }
    }

    /// The text of `deploy/compose.yaml`, split into blocks by its indentation.
    private struct ComposeFile {
        struct Mount {
            let volume: String
            let target: String
            let isReadOnly: Bool
        }

        let whole: String
        private let blocks: [String: String]

        init() throws {
            let file = URL(filePath: #filePath).deletingLastPathComponent().appending(
                path: "../../../deploy/compose.yaml")
            whole = try String(contentsOf: file.standardized, encoding: .utf8)
            let all = try #require(whole.firstMatch(of: /(?s)\nservices:\n(.*?)\n(?=[a-z#])/)).output.1
            var blocks: [String: String] = [:]
            var name = ""
            for line in all.split(separator: "\n", omittingEmptySubsequences: false) {
                if let begun = line.wholeMatch(of: /[ ]{2}([a-z]+):/) { name = String(begun.output.1) }
                blocks[name, default: ""] += "\(line)\n"
            }
            self.blocks = blocks.filter { !$0.key.isEmpty }
        }

        var services: [String] { blocks.keys.sorted() }

        /// Returns the lines of a service, including those that it inherits.
        func text(of service: String) throws -> String {
            var text = try #require(blocks[service], "there is no \(service)")
            for shared in ["service", "server", "program"] where text.contains("<<: *\(shared)") {
                let start = try #require(whole.firstRange(of: "\nx-\(shared): ")).lowerBound
                let end = try #require(whole[start...].dropFirst().firstRange(of: "\n\n")).upperBound
                text += whole[start..<end]
            }
            return text
        }

        func mounts(of service: String) throws -> [Mount] {
            try text(of: service).matches(of: /\n      - ([a-z-]+):(\/[^:\n]+)(:ro)?(?=\n)/).map { match in
                Mount(
                    volume: String(match.output.1), target: String(match.output.2), isReadOnly: match.output.3 != nil)
            }
        }

        func networks(of service: String) throws -> [String] {
            let list = try text(of: service).firstMatch(of: /\n    networks: \[([a-z, ]+)\]/)?.output.1
            return try #require(list).split(separator: ", ").map(String.init)
        }
    }
}
