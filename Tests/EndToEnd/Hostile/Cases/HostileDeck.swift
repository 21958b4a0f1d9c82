import CloudKitWire
import TestGenerators

/// The place of the fault in a request.
enum HostilePlace: Sendable, Hashable {
    /// A step into an object, by key, or into an array, by index.
    enum Step: Sendable, Hashable {
        case key(String)
        case index(Int)
    }

    case header(String)
    case property(String)
    case parameter(String)
    case member([Step])
    case body
    case connection
}

extension HostilePlace: CustomStringConvertible {
    var description: String {
        switch self {
        case .header(let name): "header \(name)"
        case .property(let name): "property \(name)"
        case .parameter(let name): name
        case .body: "body"
        case .connection: "connection"
        case .member(let steps):
            "body." + steps.map { if case .key(let key) = $0 { key } else { "0" } }.joined(separator: ".")
        }
    }
}

/// A case, which is one request with one fault. The same seed and number always give the same case.
struct HostileCase: Sendable {
    var number: Int
    var kind: HostileKind
    var place: HostilePlace
    /// The request; nil for a fault of a connection and for a known attack.
    var request: DocumentedRequest?
    /// The example into which the fault is inserted.
    var example: DocumentedRequest.Example?
    /// The case's own source of random numbers.
    var generator: SeededGenerator

    /// The operation, such as `records.modify`, or the kind itself.
    var operation: String { request?.operation ?? kind.rawValue }
    /// The name of the transport, for the counts.
    var transport: String {
        switch request?.transport {
        case .broker: "AMQP"
        case .gateway: "HTTP"
        case nil: kind == .httpFrames || kind == .compressedBodies ? "HTTP" : "AMQP"
        }
    }
}

/// All cases of the documented requests, in a random order that the seed determines. Heavy cases, broken connections
/// and known attacks have fixed shares of the whole.
struct HostileDeck: Sendable {
    private struct Card: Sendable {
        var request: Int
        var example: Int
        var place: HostilePlace
        var kind: HostileKind
    }

    private let seed: UInt64
    private let requests: [DocumentedRequest]
    private var broker: [Card] = []
    private var gateway: [Card] = []
    private var heavy: [Card] = []
    private let connections: [HostileKind]
    private let attacks: [HostileKind]

    init(_ catalogue: HostileCatalogue, seed: UInt64, kinds: Set<HostileKind>) {
        self.seed = seed
        requests = catalogue.requests
        connections = [.brokerFrames, .httpFrames].filter(kinds.contains)
        attacks = HostileKind.known.filter(kinds.contains)
        for (index, request) in requests.enumerated() {
            for card in Self.cards(of: request, index) where kinds.contains(card.kind) {
                if HostileKind.heavy.contains(card.kind) {
                    heavy.append(card)
                } else if case .broker = request.transport {
                    broker.append(card)
                } else {
                    gateway.append(card)
                }
            }
        }
        var generator = SeededGenerator(seed: seed)
        broker.shuffle(using: &generator)
        gateway.shuffle(using: &generator)
        heavy.shuffle(using: &generator)
    }

    /// The number of different cases.
    var count: Int { broker.count + gateway.count + heavy.count + connections.count + attacks.count }

    /// Returns the case with a number; nil if no kind is chosen.
    func `case`(_ number: Int) -> HostileCase? {
        if number % 256 == 200, let kind = Self.draw(attacks, number / 256) { return plain(kind, number) }
        if number % 32 == 17, let kind = Self.draw(connections, number / 32) { return plain(kind, number) }
        if number % 16 == 7, let card = Self.draw(heavy, number / 16) { return spoiled(card, number) }
        let (first, second) = number % 4 == 3 ? (gateway, broker) : (broker, gateway)
        if let card = Self.draw(first, number) ?? Self.draw(second, number) ?? Self.draw(heavy, number) {
            return spoiled(card, number)
        }
        return Self.draw(connections + attacks, number).map { plain($0, number) }
    }

    private static func draw<Element>(_ elements: [Element], _ number: Int) -> Element? {
        elements.isEmpty ? nil : elements[number % elements.count]
    }

    private func plain(_ kind: HostileKind, _ number: Int) -> HostileCase {
        HostileCase(number: number, kind: kind, place: .connection, generator: generator(number))
    }

    private func spoiled(_ card: Card, _ number: Int) -> HostileCase {
        HostileCase(
            number: number, kind: card.kind, place: card.place, request: requests[card.request],
            example: requests[card.request].examples[card.example], generator: generator(number))
    }

    private func generator(_ number: Int) -> SeededGenerator {
        SeededGenerator(seed: seed &* 0x9E37_79B9 &+ UInt64(number))
    }

    /// Returns each place of a request once, in the first example that has it, with each kind of fault that is possible
    /// there.
    private static func cards(of request: DocumentedRequest, _ index: Int) -> [Card] {
        var seen: Set<HostilePlace> = []
        var cards: [Card] = []
        func add(_ place: HostilePlace, _ example: Int, _ kinds: [HostileKind]) {
            guard seen.insert(place).inserted else { return }
            cards += kinds.map { Card(request: index, example: example, place: place, kind: $0) }
        }
        for (number, example) in request.examples.enumerated() {
            switch request.transport {
            case .broker:
                for name in BrokerHeaders.names(of: example) { add(.header(name), number, HostileKind.ofHeaders) }
                for property in BrokerProperty.allCases {
                    add(.property(property.rawValue), number, HostileKind.ofProperties)
                }
            case .gateway:
                for name in GatewayParameters.names(of: example) {
                    add(.parameter(name), number, HostileKind.ofParameters)
                }
            }
            guard let payload = example.payload else { continue }
            let compressed: [HostileKind] = if case .gateway = request.transport { [.compressed] } else { [] }
            add(.body, number, HostileKind.ofBodies + compressed)
            if request.isText { continue }
            for path in paths(in: payload) where !path.isEmpty { add(.member(path), number, HostileKind.ofMembers) }
        }
        return cards
    }

    private static func paths(in value: JSONValue) -> [[HostilePlace.Step]] {
        switch value {
        case .object(let members):
            [[]] + members.flatMap { member in paths(in: member.value).map { [.key(member.key)] + $0 } }
        case .array(let elements): [[]] + (elements.first.map { paths(in: $0).map { [.index(0)] + $0 } } ?? [])
        default: [[]]
        }
    }
}
