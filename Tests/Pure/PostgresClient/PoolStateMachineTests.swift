import Testing

@testable import PostgresClient

/// In these tests, connections and waiters are letters, and the time advances only on request.
struct PoolStateMachineTests {
    private typealias Machine = PoolStateMachine<String, String>

    private let start = ContinuousClock.now
    private let trouble = PostgresError(.connectFailed, message: "refused")

    /// Returns the actions as words, to compare them.
    private func words(_ actions: [Machine.Action]) -> [String] {
        actions.map { action in
            switch action {
            case .open(let slot, let notBefore): "open \(slot.rawValue) in \(notBefore - start)"
            case .lend(let connection, let slot, let waiter): "lend \(connection) (\(slot.rawValue)) to \(waiter)"
            case .fail(let waiter, let error): "fail \(waiter): \(error.code.rawValue)"
            case .close(let connection): "close \(connection)"
            case .wake(let instant): "wake in \(instant - start)"
            case .finished: "finished"
            }
        }
    }

    private func slot(_ number: Int) -> Machine.SlotID { Machine.SlotID(rawValue: number) }

    private func lease(_ machine: inout Machine, _ number: Int, after delay: Duration = .zero) -> [String] {
        let now = start + delay
        let actions = machine.lease(
            Machine.WaiterID(rawValue: number), "w\(number)", now: now, deadline: now + .seconds(30))
        return words(actions)
    }

    /// Returns the idle connection that the machine lends immediately, with its slot; nil if it lends none.
    private func leaseIdle(_ machine: inout Machine) -> String? {
        machine.leaseIdle().map { slot, connection in "\(connection) (\(slot.rawValue))" }
    }

    /// Returns a machine with one idle connection `a` in slot 1.
    private func idleMachine(maxConnections: Int = 2) -> Machine {
        var machine = Machine(maxConnections: maxConnections)
        _ = lease(&machine, 0)
        _ = machine.connected(slot(1), "a", now: start)
        _ = machine.giveBack(slot(1), isUsable: true, now: start)
        _ = machine.timeReached(start + .seconds(30))
        return machine
    }

    @Test func theFirstCallerCausesAConnectionAndLeavesItForTheNext() {
        var machine = Machine(maxConnections: 2)
        #expect(leaseIdle(&machine) == nil)
        #expect(lease(&machine, 1) == ["open 1 in 0.0 seconds", "wake in 30.0 seconds"])
        #expect(words(machine.connected(slot(1), "a", now: start)) == ["lend a (1) to w1"])
        #expect(machine.statistics == PostgresPoolStatistics(open: 1, leased: 1, waiting: 0))
        #expect(words(machine.giveBack(slot(1), isUsable: true, now: start)) == [])
        #expect(leaseIdle(&machine) == "a (1)")
    }

    @Test func noMoreConnectionsAreMadeThanAllowedAndCallersAreServedInOrder() {
        var machine = Machine(maxConnections: 1)
        _ = lease(&machine, 1)
        _ = machine.connected(slot(1), "a", now: start)
        #expect(lease(&machine, 2) == [])
        #expect(lease(&machine, 3) == [])
        #expect(machine.statistics == PostgresPoolStatistics(open: 1, leased: 1, waiting: 2))
        #expect(words(machine.giveBack(slot(1), isUsable: true, now: start)) == ["lend a (1) to w2"])
        #expect(words(machine.giveBack(slot(1), isUsable: true, now: start)) == ["lend a (1) to w3"])
    }

    @Test func theConnectionUsedLastIsLeasedFirst() {
        var machine = Machine(maxConnections: 2)
        _ = lease(&machine, 1)
        _ = lease(&machine, 2)
        _ = machine.connected(slot(1), "a", now: start)
        _ = machine.connected(slot(2), "b", now: start)
        _ = machine.giveBack(slot(2), isUsable: true, now: start)
        _ = machine.giveBack(slot(1), isUsable: true, now: start)
        #expect(leaseIdle(&machine) == "a (1)")
    }

    @Test func aLaterCallerDoesNotOvertakeAWaitingOne() {
        var machine = Machine(maxConnections: 1)
        _ = lease(&machine, 1)
        _ = machine.connected(slot(1), "a", now: start)
        _ = lease(&machine, 2)
        _ = machine.giveBack(slot(1), isUsable: true, now: start)
        #expect(leaseIdle(&machine) == nil)
    }

    @Test func aCallerWhoseDeadlineHasPassedFailsAndTheTimerIsSetForTheNext() {
        var machine = Machine(maxConnections: 1)
        _ = lease(&machine, 1)
        _ = machine.connected(slot(1), "a", now: start)
        _ = lease(&machine, 2, after: .seconds(1))
        #expect(lease(&machine, 3, after: .seconds(2)) == [])
        // The timer of the first caller, which has already been served.
        #expect(words(machine.timeReached(start + .seconds(30))) == ["wake in 31.0 seconds"])
        #expect(
            words(machine.timeReached(start + .seconds(31))) == ["fail w2: leaseTimedOut", "wake in 32.0 seconds"])
        #expect(words(machine.giveBack(slot(1), isUsable: true, now: start)) == ["lend a (1) to w3"])
        #expect(words(machine.timeReached(start + .seconds(32))) == [])
    }

    @Test func aCancelledCallerFailsAtOnceWhereverItStandsAndOnlyOnce() {
        var machine = Machine(maxConnections: 1)
        _ = lease(&machine, 1)
        _ = machine.connected(slot(1), "a", now: start)
        _ = lease(&machine, 2)
        _ = lease(&machine, 3)
        #expect(words(machine.cancel(Machine.WaiterID(rawValue: 2))) == ["fail w2: cancelled"])
        #expect(words(machine.cancel(Machine.WaiterID(rawValue: 2))) == [])
        #expect(words(machine.cancel(Machine.WaiterID(rawValue: 1))) == [])
        #expect(words(machine.giveBack(slot(1), isUsable: true, now: start)) == ["lend a (1) to w3"])
    }

    @Test func anUnusableConnectionIsClosedAndReplacedForAWaitingCaller() {
        var machine = Machine(maxConnections: 1)
        _ = lease(&machine, 1)
        _ = machine.connected(slot(1), "a", now: start)
        _ = lease(&machine, 2)
        #expect(
            words(machine.giveBack(slot(1), isUsable: false, now: start)) == ["close a", "open 2 in 0.0 seconds"])
        #expect(words(machine.connected(slot(2), "b", now: start)) == ["lend b (2) to w2"])
    }

    @Test func afterAFailureOneConnectionAtATimeIsTriedAfterTheBackOff() {
        var machine = Machine(maxConnections: 4)
        #expect(lease(&machine, 1).contains("open 1 in 0.0 seconds"))
        #expect(lease(&machine, 2) == ["open 2 in 0.0 seconds"])
        let retryAt = start + .seconds(1)
        #expect(words(machine.connectFailed(slot(1), trouble, now: start, retryAt: retryAt)) == [])
        #expect(
            words(machine.connectFailed(slot(2), trouble, now: start, retryAt: retryAt)) == ["open 3 in 1.0 seconds"])
        #expect(machine.failures == 2)
        #expect(lease(&machine, 3) == [])
        // A success causes attempts for the others.
        #expect(
            words(machine.connected(slot(3), "a", now: start + .seconds(1))) == [
                "lend a (3) to w1", "open 4 in 1.0 seconds", "open 5 in 1.0 seconds",
            ])
        #expect(machine.failures == 0)
    }

    @Test func aCallerBetweenTwoAttemptsDoesNotHastenTheNext() {
        var machine = Machine(maxConnections: 1)
        _ = lease(&machine, 1)
        _ = machine.cancel(Machine.WaiterID(rawValue: 1))
        #expect(words(machine.connectFailed(slot(1), trouble, now: start, retryAt: start + .seconds(2))) == [])
        #expect(lease(&machine, 2, after: .seconds(1)) == ["open 2 in 2.0 seconds"])
    }

    @Test func aCallerThatWaitedForAnUnreachableServerGetsTheReason() {
        var machine = Machine(maxConnections: 1)
        _ = lease(&machine, 1)
        _ = machine.connectFailed(slot(1), trouble, now: start, retryAt: start + .seconds(1))
        #expect(words(machine.timeReached(start + .seconds(30))) == ["fail w1: connectFailed"])
    }

    @Test func aRefusalFailsAllWaitingCallersAtOnce() {
        var machine = Machine(maxConnections: 1)
        _ = lease(&machine, 1)
        _ = lease(&machine, 2)
        let refusal = PostgresError(.connectFailed, sqlState: .invalidPassword, message: "no")
        #expect(
            words(machine.connectFailed(slot(1), refusal, now: start, retryAt: start + .seconds(1))) == [
                "fail w1: connectFailed", "fail w2: connectFailed",
            ])
        #expect(machine.statistics == PostgresPoolStatistics(open: 0, leased: 0, waiting: 0))
    }

    @Test func aBrokenIdleConnectionIsDroppedAtOnceAndALeasedOneWhenItIsReturned() {
        var machine = idleMachine()
        #expect(words(machine.lost(slot(1))) == ["close a"])
        #expect(leaseIdle(&machine) == nil)
        #expect(lease(&machine, 1).first == "open 2 in 0.0 seconds")
        _ = machine.connected(slot(2), "b", now: start)
        #expect(words(machine.lost(slot(2))) == [])
        #expect(machine.statistics.leased == 1)
        #expect(words(machine.giveBack(slot(2), isUsable: false, now: start)) == ["close b"])
    }

    @Test func shutdownClosesIdleConnectionsFailsWaitingCallersAndEndsWithTheLastLease() {
        var machine = Machine(maxConnections: 2)
        _ = lease(&machine, 1)
        _ = lease(&machine, 2)
        _ = machine.connected(slot(1), "a", now: start)
        _ = machine.connected(slot(2), "b", now: start)
        _ = machine.giveBack(slot(1), isUsable: true, now: start)
        #expect(words(machine.shutDown()) == ["close a"])
        #expect(lease(&machine, 3) == ["fail w3: closed"])
        #expect(leaseIdle(&machine) == nil)
        #expect(words(machine.giveBack(slot(2), isUsable: true, now: start)) == ["close b", "finished"])
        #expect(words(machine.shutDown()) == [])
    }

    @Test func shutdownFailsWaitingCallersAndClosesAConnectionThatComesTooLate() {
        var machine = Machine(maxConnections: 1)
        _ = lease(&machine, 1)
        #expect(words(machine.shutDown()) == ["fail w1: closed", "finished"])
        #expect(words(machine.connected(slot(1), "a", now: start)) == ["close a"])
        #expect(words(machine.connectFailed(slot(1), trouble, now: start, retryAt: start)) == [])
        #expect(words(machine.timeReached(start + .seconds(30))) == [])
    }

    @Test func leasedConnectionsAreClosedWhenTheTimeToDrainIsOver() {
        var machine = idleMachine()
        _ = machine.leaseIdle()
        #expect(words(machine.shutDown()) == [])
        #expect(words(machine.endDrain()) == ["close a", "finished"])
        #expect(words(machine.giveBack(slot(1), isUsable: false, now: start)) == [])
        #expect(words(machine.endDrain()) == [])
    }
}
