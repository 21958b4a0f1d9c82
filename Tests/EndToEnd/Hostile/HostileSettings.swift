import Foundation

/// The settings of the hostile tests, from environment variables.
///
/// | variable | meaning |
/// | --- | --- |
/// | `ZONDA_TEST_HOSTILE_SEED` | the seed of the cases; random unless given |
/// | `ZONDA_TEST_HOSTILE_CASE` | the number of one case, which alone is sent |
/// | `ZONDA_TEST_HOSTILE_SECONDS` | how long the attack lasts; 180 |
/// | `ZONDA_TEST_HOSTILE_KINDS` | kinds, separated by commas; all |
/// | `ZONDA_TEST_HOSTILE_RATE` | requests a second; half of what fills the machine |
/// | `ZONDA_TEST_HOSTILE_REPORT` | a file for the report |
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
