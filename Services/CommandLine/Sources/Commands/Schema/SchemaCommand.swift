import ArgumentParser

/// `zonda schema …`.
struct SchemaCommand: AsyncParsableCommand {
    static let configuration = CommandConfiguration(
        commandName: "schema",
        abstract: "Export, import, compare and deploy schemas in CloudKit's schema language.",
        subcommands: [
            SchemaExport.self, SchemaImport.self, SchemaValidate.self, SchemaDiffCommand.self, SchemaDeploy.self,
            SchemaReset.self, SchemaStatus.self,
        ])
}
