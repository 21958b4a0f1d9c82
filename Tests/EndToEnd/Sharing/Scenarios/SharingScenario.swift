import CloudKitWire
import Testing

/// A rule of sharing, and the requests that show it. ``SharingScenarioTests`` executes them over AMQP and over HTTP.
struct SharingScenario: Sendable, CustomTestStringConvertible {
    /// The rule, as a sentence.
    let rule: String
    let steps: [SharingStep]

    init(_ rule: String, _ steps: [SharingStep]) { (self.rule, self.steps) = (rule, steps) }

    var testDescription: String { rule }

    /// The rules about shares, rights, links and the life of a share, and the refusals of invalid requests.
    static let all = shares + rights + reading + links + life + refusals

    /// Returns a scenario.
    static func rule(_ rule: String, @SharingBuilder<SharingStep> _ steps: () -> [SharingStep]) -> SharingScenario {
        SharingScenario(rule, steps())
    }

    /// Returns a scenario in which the owner first shares `list` with `item` below it, and not `diary`. The guest may
    /// write, and the reader may read; both have accepted.
    static func ruleOfShared(
        _ rule: String, @SharingBuilder<SharingStep> _ steps: () -> [SharingStep]
    ) -> SharingScenario {
        SharingScenario(rule, shared + steps())
    }

    @SharingBuilder<SharingStep> private static var shared: [SharingStep] {
        owner(
            .note("create", "list"), .note("create", "item", 2, below: "list"), .note("create", "diary", 0),
            .share("create", "S", of: "list", participants: [.user(.guest), .user(.reader, "READ_ONLY")]))
        accepts(.guest, .shortGUID("@link:S"))
        accepts(.reader, .shortGUID("@link:S"))
    }
}

/// Builds a list of scenarios or steps. The compiler checks each element alone, which takes far less time than a literal.
@resultBuilder enum SharingBuilder<Element> {
    static func buildExpression(_ element: Element) -> [Element] { [element] }
    static func buildBlock(_ elements: [Element]...) -> [Element] { elements.flatMap(\.self) }
    static func buildArray(_ elements: [[Element]]) -> [Element] { elements.flatMap(\.self) }
}
