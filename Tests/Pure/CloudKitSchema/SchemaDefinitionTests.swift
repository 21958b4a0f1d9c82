import CloudKitModel
import CloudKitSchema
import Testing

struct SchemaDefinitionTests {
    @Test func orderDoesNotMatter() {
        let title = FieldDefinition(name: "title", type: .string, indexes: .queryable)
        let body = FieldDefinition(name: "body", type: .string)
        let grants = GrantDefinition.ofInferredTypes
        #expect(
            RecordTypeDefinition(name: "Note", fields: [title, body], grants: grants)
                == RecordTypeDefinition(name: "Note", fields: [body, title], grants: grants.reversed()))
        #expect(SchemaDefinition(roles: ["b", "a"]) == SchemaDefinition(roles: ["a", "b"]))
    }

    @Test func everyTypeHasTheSystemFields() {
        let recordID = FieldDefinition(name: "___recordID", type: .reference, indexes: .queryable)
        let note = RecordTypeDefinition(name: "Note", fields: [recordID])
        #expect(note.fields.map(\.name) == SystemField.allCases.map(\.rawValue))
        #expect(note.fields.last == recordID)
        #expect(note.fields.dropLast().allSatisfy { $0.indexes.isEmpty })
    }

    @Test func grantsToOneRoleBecomeOne() {
        let grants = [Permissions.read, .write, []].map { GrantDefinition(role: "editors", permissions: $0) }
        #expect(
            RecordTypeDefinition(name: "Note", grants: grants).grants
                == [GrantDefinition(role: "editors", permissions: [.read, .write])])
    }
}
