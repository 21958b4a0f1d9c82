import Testing

@testable import LoadGenerator

@Suite struct MetricsProbeTests {
    @Test(
        arguments: [
            ("process_peak_resident_bytes 1048576\n", 1_048_576),
            ("# HELP x\nprocess_peak_resident_bytes{service=\"record\"} 2.5e6 1700000000\n", 2_500_000),
            ("process_peak_resident_bytes_total 5\nother 1\n", nil), ("", nil),
        ] as [(String, Int?)])
    func thePeakIsReadFromAPrometheusText(text: String, bytes: Int?) {
        #expect(MetricsProbe.peakBytes(in: text) == bytes)
    }

    @Test(
        arguments: [
            ("http://127.0.0.1:9101", "127.0.0.1", "9101", "/metrics"), ("http://host/m", "host", "80", "/m"),
            ("http://[::1]:8080/metrics", "::1", "8080", "/metrics"),
        ])
    func aURLIsSplitIntoItsParts(url: String, host: String, port: String, path: String) {
        let target = MetricsProbe.Target(url: url)
        #expect(target?.host == host)
        #expect(target?.port == port)
        #expect(target?.path == path)
    }

    @Test(arguments: ["https://a", "a:1", "http://", "http://a:x"])
    func anythingButAPlainHTTPURLIsSkipped(url: String) {
        #expect(MetricsProbe.Target(url: url) == nil)
    }
}
