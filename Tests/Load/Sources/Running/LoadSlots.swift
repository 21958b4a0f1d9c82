import CommandLineSession

/// The places of a load that work side by side.
enum LoadSlots {
    /// Runs `count` slots until all have ended.
    ///
    /// - Parameters:
    ///   - tick: is called once a second meanwhile.
    ///   - slot: does the work of the slot of that number.
    /// - Returns: what the slots returned, in order.
    static func run<Result: Sendable>(
        _ count: Int, tick: @escaping @Sendable () -> Void,
        _ slot: @escaping @Sendable (Int) async -> Result
    ) async -> [Result] {
        await withTaskGroup(of: (slot: Int, result: Result)?.self) { group in
            for number in 0..<count { group.addTask { (number, await slot(number)) } }
            group.addTask {
                await everySecond(tick)
                return nil
            }
            var results = [Result?](repeating: nil, count: count)
            var running = count
            while running > 0, let finished = await group.next() {
                guard let finished else { continue }
                results[finished.slot] = finished.result
                running -= 1
            }
            group.cancelAll()
            return results.compactMap { $0 }
        }
    }

    /// Calls `tick` once a second until the task is cancelled.
    private static func everySecond(_ tick: @Sendable () -> Void) async {
        let clock = ContinuousClock()
        var next = clock.now
        while true {
            next += .seconds(1)
            do { try await clock.sleep(until: next) } catch { return }
            tick()
        }
    }
}
