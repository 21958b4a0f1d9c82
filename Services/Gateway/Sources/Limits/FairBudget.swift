internal import CloudKitModel
internal import HTTPServing
internal import Synchronization

/// The address and the container to which an amount of a ``FairBudget`` is charged.
struct Holder: Hashable, Sendable {
    /// The network of the client's address (``IPAddress/network``); nil while it is unknown.
    var address: IPAddress?
    /// The container that the request addresses; nil if there is none, or while it is unknown.
    var container: String?
}

/// A resource, such as memory for bodies, that all requests share. One address, or one container, can take only part of
/// it. A budget can be used from any thread.
///
/// An amount without a ``Holder`` counts only towards the total.
final class FairBudget: Sendable {
    /// The maximum shares of the total, in percent.
    struct Parts: Hashable, Sendable {
        /// The share of one address.
        var address = 100
        /// The share of one container.
        var container = 100
    }

    /// The bound that an amount would exceed; the `bound` label in the metrics.
    enum Bound: String, Sendable {
        /// The total.
        case all
        /// The share of an address.
        case address
        /// The share of a container.
        case container
    }

    private struct State {
        var taken = 0
        var addresses: [IPAddress: Int] = [:]
        var containers: [String: Int] = [:]
    }

    /// The total amount.
    let total: Int
    private let perAddress: Int
    private let perContainer: Int
    private let state = Mutex(State())

    /// Creates a budget of `total`. Each share is at least 1.
    init(_ total: Int, parts: Parts = Parts()) {
        self.total = total
        perAddress = max(1, total / 100 * parts.address + total % 100 * parts.address / 100)
        perContainer = max(1, total / 100 * parts.container + total % 100 * parts.container / 100)
    }

    /// The amount that is currently taken.
    var taken: Int { state.withLock { $0.taken } }

    /// Takes `amount`.
    ///
    /// - Returns: nil if the amount was taken; otherwise, the bound that it would exceed.
    func take(_ amount: Int, for holder: Holder = Holder()) -> Bound? {
        state.withLock { state in
            guard state.taken + amount <= total else { return .all }
            if let address = holder.address, state.addresses[address, default: 0] + amount > perAddress {
                return .address
            }
            if let container = holder.container, state.containers[container, default: 0] + amount > perContainer {
                return .container
            }
            state.taken += amount
            if let address = holder.address { state.addresses[address, default: 0] += amount }
            if let container = holder.container { state.containers[container, default: 0] += amount }
            return nil
        }
    }

    /// Gives back an amount that was taken for `holder`.
    func giveBack(_ amount: Int, of holder: Holder = Holder()) {
        guard amount > 0 else { return }
        state.withLock { state in
            state.taken -= amount
            if let address = holder.address { Self.reduce(&state.addresses, address, by: amount) }
            if let container = holder.container { Self.reduce(&state.containers, container, by: amount) }
        }
    }

    private static func reduce<Key>(_ amounts: inout [Key: Int], _ key: Key, by amount: Int) {
        let rest = amounts[key, default: 0] - amount
        amounts[key] = rest > 0 ? rest : nil
    }
}

extension ServerError {
    /// Returns the error for a request that would exceed `bound`.
    static func tooBusy(_ state: String, _ bound: FairBudget.Bound) -> ServerError {
        switch bound {
        case .all: ServerError(.tooBusy, "The server \(state)")
        case .address: ServerError(.tooBusy, "The server \(state) for one address")
        case .container: ServerError(.tooBusy, "The server \(state) for one container")
        }
    }
}
