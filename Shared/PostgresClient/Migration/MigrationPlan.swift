/// A comparison of the given migrations with those recorded in a database, which determines the next migration. A value
/// type without side effects.
struct MigrationPlan {
    struct Applied: Hashable {
        let number: Int
        let name: String
        let checksum: [UInt8]
    }

    private let migrations: [PostgresMigration]

    init(_ migrations: [PostgresMigration]) throws(PostgresMigrationError) {
        self.migrations = migrations.sorted { $0.number < $1.number }
        for (earlier, later) in zip(self.migrations, self.migrations.dropFirst())
        where earlier.number == later.number {
            throw PostgresMigrationError(.duplicate, number: later.number, name: later.name)
        }
    }

    /// Returns the first migration that has not been applied yet, or `nil` if all have been applied.
    func next(after applied: [Applied]) throws(PostgresMigrationError) -> PostgresMigration? {
        let known = Dictionary(migrations.map { ($0.number, $0) }) { first, _ in first }
        for entry in applied {
            guard let migration = known[entry.number] else {
                throw PostgresMigrationError(.missing, number: entry.number, name: entry.name)
            }
            guard migration.checksum == entry.checksum else {
                throw PostgresMigrationError(.changed, number: entry.number, name: migration.name)
            }
        }
        let appliedNumbers = Set(applied.map(\.number))
        guard let next = migrations.first(where: { !appliedNumbers.contains($0.number) }) else { return nil }
        if let last = appliedNumbers.max(), next.number < last {
            throw PostgresMigrationError(.outOfOrder, number: next.number, name: next.name)
        }
        return next
    }
}
