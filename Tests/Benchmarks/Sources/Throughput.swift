package import CloudKitWire

/// How much was done in how much time.
package struct Throughput: Sendable, Equatable {
    /// Requests, rows, events or bytes.
    package var count: Int
    /// From the beginning of the first to the end of the last.
    package var elapsed: Duration

    /// So much in that time.
    package init(count: Int, elapsed: Duration) {
        self.count = count
        self.elapsed = elapsed
    }

    /// A second; 0 when no time has passed.
    package var perSecond: Double { elapsed > .zero ? Double(count) / elapsed.seconds : 0 }

    /// One object: the count under `unit`, `seconds` and `perSecond`.
    package func json(unit: String) -> JSONValue { .object(members(unit: unit)) }

    /// The same, for an object that has more.
    func members(unit: String) -> [JSONValue.Member] {
        [
            .init(unit, .int(Int64(count))), .init("seconds", .double(elapsed.seconds.rounded(places: 3))),
            .init("perSecond", .double(perSecond.rounded(places: 1))),
        ]
    }
}

extension Duration {
    /// In seconds.
    var seconds: Double {
        let (seconds, attoseconds) = components
        return Double(seconds) + Double(attoseconds) / 1e18
    }
}

extension Double {
    /// The number rounded to `places` decimals.
    func rounded(places: Int) -> Double {
        var scale = 1.0
        for _ in 0..<places { scale *= 10 }
        return (self * scale).rounded() / scale
    }
}
