package import CloudKitWire

/// An amount of work, and the time that it took.
package struct Throughput: Sendable, Equatable {
    /// The number of requests, rows, events or bytes.
    package var count: Int
    /// The time from the start of the first to the end of the last.
    package var elapsed: Duration

    /// Creates a throughput.
    package init(count: Int, elapsed: Duration) {
        self.count = count
        self.elapsed = elapsed
    }

    /// The count per second; 0 if no time has passed.
    package var perSecond: Double { elapsed > .zero ? Double(count) / elapsed.seconds : 0 }

    /// Returns an object with the count under the key `unit`, `seconds` and `perSecond`.
    package func json(unit: String) -> JSONValue { .object(members(unit: unit)) }

    /// Returns the same members, for an object with more members.
    func members(unit: String) -> [JSONValue.Member] {
        [
            .init(unit, .int(Int64(count))), .init("seconds", .double(elapsed.seconds.rounded(places: 3))),
            .init("perSecond", .double(perSecond.rounded(places: 1))),
        ]
    }
}

extension Duration {
    /// The duration in seconds.
    var seconds: Double {
        let (seconds, attoseconds) = components
        return Double(seconds) + Double(attoseconds) / 1e18
    }
}

extension Double {
    /// Returns the number rounded to `places` decimals.
    func rounded(places: Int) -> Double {
        var scale = 1.0
        for _ in 0..<places { scale *= 10 }
        return (self * scale).rounded() / scale
    }
}
