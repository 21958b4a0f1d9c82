import Testing

@testable import PostgresClient

@Suite("Migration plan")
struct MigrationPlanTests {
    private let first = PostgresMigration(number: 1, name: "tables", sql: "create table a ()")
    private let second = PostgresMigration(number: 2, name: "index", sql: "create index on a ((1))")
    private let fourth = PostgresMigration(number: 4, name: "more", sql: "create table b ()")

    private func applied(_ migrations: PostgresMigration...) -> [MigrationPlan.Applied] {
        migrations.map { MigrationPlan.Applied(number: $0.number, name: $0.name, checksum: $0.checksum) }
    }

    @Test func `They come in the order of their numbers until all are applied`() throws {
        let plan = try MigrationPlan([fourth, first, second])
        #expect(try plan.next(after: []) == first)
        #expect(try plan.next(after: applied(first)) == second)
        #expect(try plan.next(after: applied(first, second)) == fourth)
        #expect(try plan.next(after: applied(first, second, fourth)) == nil)
    }

    @Test func `A changed text is an error that names it`() throws {
        let plan = try MigrationPlan([PostgresMigration(number: 1, name: "tables", sql: "create table a (b int)")])
        let error = #expect(throws: PostgresMigrationError.self) { try plan.next(after: applied(first)) }
        #expect(error?.reason == .changed)
        #expect(error?.description == "migration 1 (tables) was changed after it had been applied")
    }

    @Test func `One that was applied and is not given is an error that names it`() throws {
        let plan = try MigrationPlan([first])
        let error = #expect(throws: PostgresMigrationError.self) { try plan.next(after: applied(first, second)) }
        #expect(error?.reason == .missing)
        #expect(error?.name == "index")
    }

    @Test func `One that comes late is an error`() throws {
        let plan = try MigrationPlan([first, second, fourth])
        let error = #expect(throws: PostgresMigrationError.self) { try plan.next(after: applied(first, fourth)) }
        #expect(error?.reason == .outOfOrder)
        #expect(error?.number == 2)
    }

    @Test func `A number given twice is an error`() {
        let error = #expect(throws: PostgresMigrationError.self) { try MigrationPlan([first, second, first]) }
        #expect(error?.reason == .duplicate)
    }
}
