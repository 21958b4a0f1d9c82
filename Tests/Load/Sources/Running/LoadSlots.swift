import CommandLineSession

/// The slots of a load, which work concurrently.
enum LoadSlots {
    /// Runs `count` slots until all have ended.
    ///
    /// - Parameters:
    ///   - tick: called once per second while they run.
    ///   - slot: performs the work of the slot with the given number.
    /// - Returns: the results of the slots, in order.
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

    /// Calls `tick` once per second until the task is cancelled.
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
