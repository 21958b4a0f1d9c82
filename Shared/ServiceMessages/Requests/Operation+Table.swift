extension Operation {
    /// The properties of an operation.
    struct Row {
        let queue: RequestQueue
        let isWrite: Bool
        /// Whether other services may also send it, over the exchange for requests between services.
        let isAlsoBetweenServices: Bool
        let isScoped: Bool

        static func read(
            _ queue: RequestQueue, alsoBetweenServices: Bool = false, isScoped: Bool? = nil
        ) -> Row {
            Row(
                queue: queue, isWrite: false, isAlsoBetweenServices: alsoBetweenServices,
                isScoped: isScoped ?? (queue.exchange == Exchange.requests))
        }

        static func write(_ queue: RequestQueue) -> Row {
            Row(
                queue: queue, isWrite: true, isAlsoBetweenServices: false,
                isScoped: queue.exchange == Exchange.requests)
        }
    }

    /// The table of operations. To add one, add a case to ``Operation``, a row here, and a handler to the
    /// `OperationRouter` of its service; `deploy/docs/extending.md` lists the rest.
    var row: Row {
        switch self {
        case .recordsModify: .write(.recordWrites)
        case .recordsLookup: .read(.recordReads, alsoBetweenServices: true)
        case .recordsChanges: .read(.recordReads)
        case .recordsQuery: .read(.recordQueries)
        case .recordsAggregate: .read(.recordQueries)
        case .recordsExplain: .read(.recordQueries)
        case .zonesModify: .write(.recordWrites)
        case .zonesList: .read(.recordReads)
        case .zonesLookup: .read(.recordReads, alsoBetweenServices: true)
        case .zonesChanges: .read(.recordReads)
        case .changesZone: .read(.recordReads)
        case .changesDatabase: .read(.recordReads)
        case .serviceCapabilities: .read(.recordReads)
        case .assetsUpload: .read(.assetRequests)
        case .assetsRereference: .read(.assetRequests)
        case .assetsPut: .read(.assetPuts)
        case .subscriptionsModify: .write(.subscriptionRequests)
        case .subscriptionsList: .read(.subscriptionRequests)
        case .subscriptionsLookup: .read(.subscriptionRequests)
        case .badgesSet: .read(.subscriptionRequests)
        case .tokensCreate: .write(.subscriptionRequests)
        case .tokensRegister: .read(.subscriptionRequests)
        case .tokensStatus: .read(.subscriptionRequests)
        case .containersCreate: .write(.recordAdmin)
        case .containersList: .read(.recordAdmin)
        case .containersDelete: .write(.recordAdmin)
        case .zonesPurge: .write(.recordAdmin)
        case .assetsReferences: .read(.recordAdmin)
        case .assetsStat: .read(.assetAdmin)
        case .assetsJobs: .read(.assetAdmin)
        case .assetsReceipt: .read(.assetAdmin)
        case .assetsUsage: .read(.assetAdmin)
        case .assetsQuota: .read(.assetAdmin)
        case .assetsQuarantine: .read(.assetAdmin)
        case .assetsReconcile: .read(.assetAdmin)
        case .schemaExport: .read(.recordAdmin)
        case .schemaImport: .write(.recordAdmin)
        case .schemaValidate: .read(.recordAdmin)
        case .schemaDeploy: .write(.recordAdmin)
        case .schemaReset: .write(.recordAdmin)
        case .schemaStatus: .read(.recordAdmin)
        case .rolesList: .read(.recordAdmin)
        case .rolesAssign: .write(.recordAdmin)
        case .subscriptionsStates: .read(.subscriptionAdmin)
        case .subscriptionsTest: .read(.subscriptionAdmin)
        case .consumersGrant: .write(.subscriptionAdmin)
        case .consumersList: .read(.subscriptionAdmin)
        case .consumersRevoke: .write(.subscriptionAdmin)
        case .usersCreate: .write(.gatewayAdmin)
        case .usersList: .read(.gatewayAdmin)
        case .usersToken: .write(.gatewayAdmin)
        case .usersSignIns: .read(.gatewayAdmin)
        case .usersPassword: .write(.gatewayAdmin)
        case .usersSignOut: .write(.gatewayAdmin)
        case .usersDelete: .write(.gatewayAdmin)
        case .apiTokensCreate: .write(.gatewayAdmin)
        case .apiTokensList: .read(.gatewayAdmin)
        case .apiTokensRevoke: .write(.gatewayAdmin)
        case .serverKeysAdd: .write(.gatewayAdmin)
        case .serverKeysList: .read(.gatewayAdmin)
        case .serverKeysRevoke: .write(.gatewayAdmin)
        case .changesLog: .read(.recordInternal)
        case .assetsUsed: .read(.recordInternal)
        case .assetsHolders: .read(.recordInternal)
        case .interestsSet: .read(.recordInternal, isScoped: true)
        case .clientsForget: .read(.subscriptionInternal)
        case .notificationsReplay: .read(.subscriptionReplays)
        }
    }
}
