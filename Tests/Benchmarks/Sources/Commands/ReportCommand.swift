internal import ArgumentParser
internal import CloudKitWire
internal import Foundation

/// `zonda-limits report`.
struct ReportCommand: ParsableCommand {
    static let configuration = CommandConfiguration(
        commandName: "report",
        abstract: "Compare measurements from standard input.",
        discussion: """
            Lines of 'run <tab> row <tab> unit <tab> reached|limit|fact <tab> figure <tab> value', with the units \
            '\(Measurement.Unit.allCases.map(\.rawValue).joined(separator: "', '"))'. Prints tables of medians. Ratios \
            are computed within each run.
            """)

    @Option(help: "Also write everything to this file as JSON.")
    var json: String?

    @Option(help: "A setting, NAME=VALUE, to store in the file.")
    var setting: [String] = []

    func run() throws {
        var measurements: [Measurement] = []
        while let line = readLine() { measurements.append(try Measurement(line: line)) }
        guard !measurements.isEmpty else { throw LimitFailure("nothing was measured") }
        let table = ComparisonTable(Comparison.all(of: measurements))
        for line in table.lines { print(line) }
        if let json {
            let settings = setting.map { text in
                let parts = text.split(separator: "=", maxSplits: 1, omittingEmptySubsequences: false)
                return (name: String(parts[0]), value: parts.count > 1 ? String(parts[1]) : "")
            }
            try Data(table.json(settings: settings).encoded()).write(to: URL(fileURLWithPath: json), options: .atomic)
        }
    }
}
