import TestSupport

/// A page of metrics, parsed strictly by the specification of Prometheus' text exposition format 0.0.4.
struct MetricsPage {
    /// A line of a metric family.
    struct Sample {
        var name: String
        /// The labels, each as `name="value"`, except `le`, which is in ``bound``.
        var labels: Set<String>
        /// The upper bound of a bucket.
        var bound: Double?
        var value: Double
    }

    /// A metric.
    struct Family {
        var type: String
        var samples: [Sample] = []
    }

    /// The metrics by name.
    private(set) var families: [String: Family] = [:]

    /// Parses a page. Each family must appear once, with its help and type before its samples. No series may appear
    /// twice. Buckets must be ascending and cumulative up to `+Inf`, which must be the count.
    ///
    /// - Throws: ``TestFailure`` with the invalid line.
    init(parsing text: String) throws(TestFailure) {
        guard text.hasSuffix("\n") else { throw TestFailure("the last line has no end") }
        var current: String?
        var helped: String?
        var seen: Set<Substring> = []
        for line in text.dropLast().split(separator: "\n", omittingEmptySubsequences: false) {
            let words = line.split(separator: " ")
            if line.hasPrefix("# HELP "), words.count > 3, families[String(words[2])] == nil {
                helped = String(words[2])
            } else if line.hasPrefix("# TYPE "), words.count == 4, helped == String(words[2]), helped != current,
                ["counter", "gauge", "histogram"].contains(words[3])
            {
                current = helped
                families[String(words[2])] = Family(type: String(words[3]))
            } else if let current, let sample = Self.sample(line), isOf(current, sample),
                seen.insert(line.prefix { $0 != " " }).inserted
            {
                families[current]?.samples.append(sample)
            } else {
                throw TestFailure("not a line of metrics at its place: \(line)")
            }
        }
        for (name, family) in families where family.type == "histogram" { try Self.check(name, family) }
    }

    /// Returns the sum of the samples in a family that have these labels or, for a histogram, of their counts.
    func value(_ name: String, _ labels: String...) -> Double {
        let samples = families[name]?.samples ?? []
        let shown = families[name]?.type == "histogram" ? name + "_count" : name
        return samples.filter { $0.name == shown && $0.labels.isSuperset(of: labels) }.reduce(0) { $0 + $1.value }
    }

    /// Returns the values of the label `label` in a family.
    func values(of label: String, in name: String) -> Set<String> {
        let labels = (families[name]?.samples ?? []).flatMap(\.labels)
        return Set(labels.filter { $0.hasPrefix(label + "=") }.map { String($0.dropFirst(label.count + 2).dropLast()) })
    }

    private func isOf(_ family: String, _ sample: Sample) -> Bool {
        switch families[family]?.type {
        case "histogram":
            ["_bucket", "_sum", "_count"].contains { sample.name == family + $0 }
                && (sample.bound != nil) == sample.name.hasSuffix("_bucket")
        case "counter": sample.name == family && family.hasSuffix("_total") && sample.value >= 0
        default: sample.name == family
        }
    }

    /// Parses `name{label="value",…} number`. None of our values contains a comma, a brace, a space or an escape
    /// sequence.
    private static func sample(_ line: Substring) -> Sample? {
        guard
            let match = line.wholeMatch(
                of: /([a-z_]+)(?:\{((?:[a-z_]+="[A-Za-z0-9_.+-]*",?)+)\})? (NaN|[+-]Inf|-?[0-9.e+-]+)/),
            let value = Double(match.3)
        else { return nil }
        var labels = Set((match.2 ?? "").split(separator: ",").map(String.init))
        let bound = labels.first { $0.hasPrefix("le=") }
        if let bound { labels.remove(bound) }
        return Sample(
            name: String(match.1), labels: labels, bound: bound.flatMap { Double($0.dropFirst(4).dropLast()) },
            value: value)
    }

    private static func check(_ name: String, _ family: Family) throws(TestFailure) {
        for (labels, samples) in Dictionary(grouping: family.samples, by: \.labels) {
            let buckets = samples.filter { $0.bound != nil }
            let bounds = buckets.compactMap(\.bound)
            let count = samples.first { $0.name == name + "_count" }?.value
            guard bounds == bounds.sorted(), bounds.last == .infinity, Set(bounds).count == bounds.count,
                buckets.map(\.value) == buckets.map(\.value).sorted(), buckets.last?.value == count,
                samples.count == buckets.count + 2
            else { throw TestFailure("not a histogram: \(name) \(labels)") }
        }
    }
}

extension ServiceProcess {
    /// Returns the current page of metrics.
    func metricsPage() async throws -> MetricsPage { try MetricsPage(parsing: try await metrics()) }
}
