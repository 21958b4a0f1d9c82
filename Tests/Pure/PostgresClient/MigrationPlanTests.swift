import Testing

@testable import PostgresClient

struct MigrationPlanTests {
    private let first = PostgresMigration(number: 1, name: "tables", sql: "create table a ()")
    private let second = PostgresMigration(number: 2, name: "index", sql: "create index on a ((1))")
    private let fourth = PostgresMigration(number: 4, name: "more", sql: "create table b ()")

    private func applied(_ migrations: PostgresMigration...) -> [MigrationPlan.Applied] {
        migrations.map { MigrationPlan.Applied(number: $0.number, name: $0.name, checksum: $0.checksum) }
    }

    @Test func migrationsComeInTheOrderOfTheirNumbersUntilAllAreApplied() throws {
        let plan = try MigrationPlan([fourth, first, second])
        #expect(try plan.next(after: []) == first)
        #expect(try plan.next(after: applied(first)) == second)
        #expect(try plan.next(after: applied(first, second)) == fourth)
        #expect(try plan.next(after: applied(first, second, fourth)) == nil)
    }

    @Test func aChangedTextIsAnErrorThatNamesIt() throws {
        let plan = try MigrationPlan([PostgresMigration(number: 1, name: "tables", sql: "create table a (b int)")])
        let error = #expect(throws: PostgresMigrationError.self) { try plan.next(after: applied(first)) }
        #expect(error?.reason == .changed)
        #expect(error?.description == "migration 1 (tables) was changed after it had been applied")
    }

    @Test func anAppliedMigrationThatIsMissingIsAnErrorThatNamesIt() throws {
        let plan = try MigrationPlan([first])
        let error = #expect(throws: PostgresMigrationError.self) { try plan.next(after: applied(first, second)) }
        #expect(error?.reason == .missing)
        #expect(error?.name == "index")
    }

    @Test func aMigrationBelowTheLastAppliedNumberIsAnError() throws {
        let plan = try MigrationPlan([first, second, fourth])
        let error = #expect(throws: PostgresMigrationError.self) { try plan.next(after: applied(first, fourth)) }
        #expect(error?.reason == .outOfOrder)
        #expect(error?.number == 2)
    }

    @Test func aNumberGivenTwiceIsAnError() {
        let error = #expect(throws: PostgresMigrationError.self) { try MigrationPlan([first, second, first]) }
        #expect(error?.reason == .duplicate)
    }
}
