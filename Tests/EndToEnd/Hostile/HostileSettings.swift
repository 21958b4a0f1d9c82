import Foundation

/// The settings of the hostile tests, from environment variables.
///
/// | variable | meaning |
/// | --- | --- |
/// | `ZONDA_TEST_HOSTILE_SEED` | the seed of the cases; random by default |
/// | `ZONDA_TEST_HOSTILE_CASE` | the number of the only case to send |
/// | `ZONDA_TEST_HOSTILE_SECONDS` | the duration of the attack in seconds; 180 by default |
/// | `ZONDA_TEST_HOSTILE_KINDS` | kinds, separated by commas; all by default |
/// | `ZONDA_TEST_HOSTILE_RATE` | requests per second; half of the highest possible rate by default |
/// | `ZONDA_TEST_HOSTILE_REPORT` | the file to which the report is written |
struct HostileSettings: Sendable {
    var seed = UInt64.random(in: 0..<1_000_000_000)
    var seconds = 180
    var kinds = Set(HostileKind.allCases)
    var onlyCase: Int?
    var rate: Double?
    var reportPath: String?

    init(_ variables: [String: String] = ProcessInfo.processInfo.environment) {
        func value(_ name: String) -> String? { variables["ZONDA_TEST_HOSTILE_\(name)"] }
        seed = value("SEED").flatMap { UInt64($0) } ?? seed
        seconds = value("SECONDS").flatMap { Int($0) } ?? seconds
        if let names = value("KINDS") {
            kinds = Set(names.split(separator: ",").compactMap { .init(rawValue: "\($0)") })
        }
        onlyCase = value("CASE").flatMap { Int($0) }
        rate = value("RATE").flatMap { Double($0) }
        reportPath = value("REPORT")
    }
}
