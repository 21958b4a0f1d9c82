// swift-tools-version: 6.2
import PackageDescription

/// The field's libraries that more than one target uses, each named once.
let logging = Target.Dependency.product(name: "Logging", package: "swift-log")
let metrics = Target.Dependency.product(name: "Metrics", package: "swift-metrics")
let lifecycle = Target.Dependency.product(name: "ServiceLifecycle", package: "swift-service-lifecycle")
let crypto = Target.Dependency.product(name: "Crypto", package: "swift-crypto")
let collections = Target.Dependency.product(name: "DequeModule", package: "swift-collections")
let hummingbird = Target.Dependency.product(name: "Hummingbird", package: "hummingbird")
let httpClient = Target.Dependency.product(name: "AsyncHTTPClient", package: "async-http-client")
let arguments = Target.Dependency.product(name: "ArgumentParser", package: "swift-argument-parser")

let package = Package(
    name: "zonda",
    platforms: [.macOS(.v15)],
    products: [
        .executable(name: "zonda-record", targets: ["zonda-record"]),
        .executable(name: "zonda-asset", targets: ["zonda-asset"]),
        .executable(name: "zonda-subscription", targets: ["zonda-subscription"]),
        .executable(name: "zonda-gateway", targets: ["zonda-gateway"]),
        .executable(name: "zonda", targets: ["zonda"]),
        .executable(name: "zonda-load", targets: ["zonda-load"]),
        .library(name: "CloudKit", targets: ["CloudKit"]),
    ],
    traits: [
        .trait(name: "Server", description: "The services, the command line, and all tests and benchmarks."),
        .default(enabledTraits: ["Server"]),
    ],
    dependencies: [
        // What the library `CloudKit` reaches. Ranges let an application choose its own versions.
        .package(url: "https://github.com/apple/swift-crypto", from: "4.5.2"),
        .package(url: "https://github.com/swift-server/async-http-client", from: "1.37.0"),
        .package(url: "https://github.com/apple/swift-nio", from: "2.101.2"),
        .package(url: "https://github.com/apple/swift-nio-ssl", from: "2.37.6"),

        // What only targets of the trait `Server` use.
        .package(url: "https://github.com/apple/swift-argument-parser", exact: "1.8.2"),
        .package(url: "https://github.com/apple/swift-collections", exact: "1.6.0"),
        .package(url: "https://github.com/apple/swift-configuration", exact: "1.4.0", traits: []),
        .package(url: "https://github.com/apple/swift-log", exact: "1.16.2"),
        .package(url: "https://github.com/apple/swift-metrics", exact: "2.13.0"),
        .package(url: "https://github.com/HdrHistogram/hdrhistogram-swift", exact: "0.2.0"),
        .package(url: "https://github.com/apple/swift-http-types", exact: "1.8.0"),
        .package(url: "https://github.com/apple/swift-nio-extras", exact: "1.35.2"),
        .package(url: "https://github.com/hummingbird-project/hummingbird", exact: "2.28.1"),
        .package(url: "https://github.com/swift-server/swift-service-lifecycle", exact: "2.13.0"),
    ],
    targets: [
        // The C libraries. libpq and librabbitmq are each imported by one module only.
        .systemLibrary(
            name: "CLibPQ", path: "Shared/CLibPQ", pkgConfig: "libpq", providers: [.apt(["libpq-dev"])]),
        .systemLibrary(
            name: "CRabbitMQ", path: "Shared/CRabbitMQ", pkgConfig: "librabbitmq",
            providers: [.apt(["librabbitmq-dev"])]),
        .systemLibrary(name: "CLinux", path: "Shared/CLinux"),

        // Shared modules, from the outside in: nothing here imports a service.
        .target(name: "CloudKitModel", path: "Shared/CloudKitModel"),
        .target(name: "CloudKitWire", dependencies: ["CloudKitModel"], path: "Shared/CloudKitWire"),
        .target(name: "CloudKitSchema", dependencies: ["CloudKitModel"], path: "Shared/CloudKitSchema"),
        .target(
            name: "CloudKitQuery", dependencies: ["CloudKitModel", "CloudKitWire"],
            path: "Shared/CloudKitQuery"),
        .target(name: "ResumableUploads", path: "Shared/ResumableUploads"),
        .target(name: "SignedTokens", dependencies: [crypto], path: "Shared/SignedTokens"),
        .target(
            name: "PostgresClient", dependencies: ["CLibPQ", collections, crypto, logging, lifecycle],
            path: "Shared/PostgresClient"),
        .target(
            name: "AMQPClient", dependencies: ["CRabbitMQ", "CLinux", collections, logging, lifecycle],
            path: "Shared/AMQPClient"),
        .target(
            name: "ServiceMessages",
            dependencies: ["AMQPClient", "CloudKitModel", "CloudKitWire", "SignedTokens", crypto],
            path: "Shared/ServiceMessages"),
        .target(
            name: "OperatorMessages",
            dependencies: ["CloudKitModel", "CloudKitSchema", "CloudKitWire", "ServiceMessages"],
            path: "Shared/OperatorMessages"),
        .target(
            name: "ServiceRuntime",
            dependencies: [
                "CLinux", logging, lifecycle, metrics,
                .product(name: "Configuration", package: "swift-configuration"),
                hummingbird,
            ],
            path: "Shared/ServiceRuntime"),
        .target(
            name: "HTTPServing",
            dependencies: [
                "CloudKitModel", "CloudKitWire", "ServiceMessages", "ServiceRuntime", hummingbird, logging, metrics,
                .product(name: "HTTPTypes", package: "swift-http-types"),
                .product(name: "HummingbirdCore", package: "hummingbird"),
                .product(name: "NIOCore", package: "swift-nio"),
                .product(name: "NIOHTTPTypes", package: "swift-nio-extras"),
            ],
            path: "Shared/HTTPServing"),

        .target(
            name: "RequestServing",
            dependencies: [
                "AMQPClient", "CloudKitModel", "CloudKitWire", "OperatorMessages", "PostgresClient", "ServiceMessages",
                "ServiceRuntime", "SignedTokens", arguments, collections, crypto, lifecycle, logging, metrics,
                .product(name: "UnixSignals", package: "swift-service-lifecycle"),
            ],
            path: "Shared/RequestServing"),

        // The client library: source written against Apple's framework compiles unchanged against it.
        .target(name: "CCloudKitLaunch", path: "Shared/CCloudKitLaunch"),
        .target(
            name: "CloudKit",
            dependencies: [
                "CCloudKitLaunch", "CLinux", "CloudKitModel", "CloudKitQuery", "CloudKitWire", "ResumableUploads",
                crypto,
                httpClient,
                .product(name: "NIOCore", package: "swift-nio"),
                .product(name: "NIOFoundationCompat", package: "swift-nio"),
                .product(name: "NIOHTTP1", package: "swift-nio"),
                .product(name: "NIOPosix", package: "swift-nio"),
                .product(name: "NIOSSL", package: "swift-nio-ssl"),
            ],
            path: "Shared/CloudKit"),

        // A demo of the client library: notes that several machines keep in step.
        .executableTarget(name: "notes", dependencies: ["CloudKit"], path: "deploy/demo/notes"),

        // Services: a library with everything in it and an executable of a few dozen lines.
        .target(
            name: "RecordStorage",
            dependencies: [
                "CloudKitModel", "CloudKitQuery", "CloudKitSchema", "CloudKitWire", "PostgresClient", "ServiceMessages",
                crypto,
            ],
            path: "Services/RecordService/Storage", resources: [.embedInCode("Migrations")]),
        .target(
            name: "RecordService",
            dependencies: [
                "AMQPClient", "CloudKitModel", "CloudKitQuery", "CloudKitSchema", "CloudKitWire", "PostgresClient",
                "OperatorMessages", "RecordStorage", "RequestServing", "ServiceMessages", "ServiceRuntime",
                "SignedTokens", collections, crypto, lifecycle, logging, metrics,
            ],
            path: "Services/RecordService/Sources"),
        .executableTarget(
            name: "zonda-record", dependencies: ["RecordService", "RequestServing", arguments],
            path: "Services/RecordService/Main"),
        .target(
            name: "BlobStorage",
            dependencies: [
                "CLinux", "CloudKitModel", "ServiceMessages", "ServiceRuntime", "SignedTokens", crypto, httpClient,
                .product(name: "NIOCore", package: "swift-nio"),
                .product(name: "NIOHTTP1", package: "swift-nio"),
                .product(name: "NIOPosix", package: "swift-nio"),
            ],
            path: "Services/AssetService/Blobs"),
        .target(
            name: "AssetStorage", dependencies: ["BlobStorage", "CloudKitModel", "PostgresClient", "ServiceMessages"],
            path: "Services/AssetService/Storage",
            resources: [.embedInCode("Migrations")]),
        .target(
            name: "AssetService",
            dependencies: [
                "AMQPClient", "AssetStorage", "BlobStorage", "CloudKitModel", "CloudKitWire", "HTTPServing",
                "OperatorMessages", "PostgresClient", "RequestServing", "ServiceMessages", "ServiceRuntime",
                "SignedTokens", arguments,
                crypto, hummingbird, lifecycle, logging, metrics,
                .product(name: "HTTPTypes", package: "swift-http-types"),
                .product(name: "NIOCore", package: "swift-nio"),
            ],
            path: "Services/AssetService/Sources"),
        .executableTarget(
            name: "zonda-asset", dependencies: ["AssetService", "RequestServing", arguments],
            path: "Services/AssetService/Main"),
        .target(
            name: "SubscriptionStorage",
            dependencies: [
                "CloudKitModel", "CloudKitQuery", "CloudKitWire", "PostgresClient", "ServiceMessages", "SignedTokens",
                crypto,
            ],
            path: "Services/SubscriptionService/Storage",
            resources: [.embedInCode("Migrations")]),
        .target(
            name: "SubscriptionService",
            dependencies: [
                "AMQPClient", "CloudKitModel", "CloudKitQuery", "CloudKitWire", "OperatorMessages", "PostgresClient",
                "RequestServing", "ServiceMessages", "ServiceRuntime", "SignedTokens", "SubscriptionStorage", crypto,
                lifecycle, logging, metrics,
            ],
            path: "Services/SubscriptionService/Sources"),
        .executableTarget(
            name: "zonda-subscription", dependencies: ["SubscriptionService", "RequestServing", arguments],
            path: "Services/SubscriptionService/Main"),
        .target(
            name: "GatewayStorage", dependencies: ["CloudKitModel", "PostgresClient", "SignedTokens", crypto],
            path: "Services/Gateway/Storage",
            resources: [.embedInCode("Migrations")]),
        .target(name: "CGatewayDocuments", path: "Services/Gateway/Documents", exclude: ["page.html"]),
        .target(
            name: "Gateway",
            dependencies: [
                "AMQPClient", "CGatewayDocuments", "CLinux", "CloudKitModel", "CloudKitWire", "GatewayStorage",
                "HTTPServing", "OperatorMessages", "PostgresClient", "RequestServing", "ServiceMessages",
                "ServiceRuntime", "SignedTokens", collections, crypto, hummingbird, lifecycle, logging, metrics,
                .product(name: "CryptoExtras", package: "swift-crypto"),
                .product(name: "HummingbirdCore", package: "hummingbird"),
                .product(name: "HummingbirdTLS", package: "hummingbird"),
                .product(name: "HTTPTypes", package: "swift-http-types"),
                .product(name: "NIOCore", package: "swift-nio"),
                .product(name: "NIOHTTP1", package: "swift-nio"),
                .product(name: "NIOHTTPCompression", package: "swift-nio-extras"),
                .product(name: "NIOHTTPTypes", package: "swift-nio-extras"),
                .product(name: "NIOHTTPTypesHTTP1", package: "swift-nio-extras"),
                .product(name: "NIOSSL", package: "swift-nio-ssl"),
            ],
            path: "Services/Gateway/Sources",
            resources: [.embedInCode("Pages")]),
        .executableTarget(
            name: "zonda-gateway", dependencies: ["Gateway", "RequestServing", arguments],
            path: "Services/Gateway/Main"),
        .target(
            name: "CommandLineSession",
            dependencies: [
                "AMQPClient", "CLinux", "CloudKitModel", "CloudKitWire", "OperatorMessages", "ResumableUploads",
                "ServiceMessages", arguments, crypto, httpClient, logging,
                .product(name: "NIOCore", package: "swift-nio"),
                .product(name: "NIOHTTP1", package: "swift-nio"),
            ],
            path: "Services/CommandLine/Session"),
        .target(
            name: "CommandLine",
            dependencies: [
                "AMQPClient", "CLinux", "CloudKitModel", "CloudKitQuery", "CloudKitSchema", "CloudKitWire",
                "CommandLineSession", "OperatorMessages", "PostgresClient", "ServiceMessages", "SignedTokens",
                arguments, collections, crypto, logging, httpClient,
                .product(name: "NIOCore", package: "swift-nio"),
                .product(name: "NIOHTTP1", package: "swift-nio"),
            ],
            path: "Services/CommandLine/Sources"),
        .executableTarget(name: "zonda", dependencies: ["CommandLine"], path: "Services/CommandLine/Main"),

        // Load tests of a running deployment, which check that it keeps its promises.
        .target(
            name: "LoadGenerator",
            dependencies: [
                "AMQPClient", "CLinux", "CloudKitModel", "CloudKitWire", "CommandLineSession", "ServiceMessages",
                "TestGenerators", arguments, httpClient,
                .product(name: "Histogram", package: "hdrhistogram-swift"),
                .product(name: "NIOCore", package: "swift-nio"),
                .product(name: "NIOHTTP1", package: "swift-nio"),
            ],
            path: "Tests/Load/Sources"),
        .executableTarget(name: "zonda-load", dependencies: ["LoadGenerator"], path: "Tests/Load/Main"),

        // All programs of a deployment: `swift build --target Programs` builds them in one run, without the tests' modules.
        .target(
            name: "Programs",
            dependencies: [
                "zonda", "zonda-asset", "zonda-gateway", "zonda-load", "zonda-record", "zonda-subscription",
            ],
            path: "Services/Programs"),

        // Benchmarks: what the servers reach without Zonda.
        .target(
            name: "ServiceLimits",
            dependencies: [
                "AMQPClient", "CloudKitModel", "CloudKitWire", "PostgresClient", "RecordService", "RecordStorage",
                "RequestServing", "ServiceMessages", arguments, crypto, logging,
                .product(name: "NIOCore", package: "swift-nio"),
                .product(name: "NIOHTTP1", package: "swift-nio"),
                .product(name: "NIOPosix", package: "swift-nio"),
            ],
            path: "Tests/Benchmarks/Sources"),
        .executableTarget(
            name: "zonda-limits", dependencies: ["ServiceLimits", arguments], path: "Tests/Benchmarks/Main"),

        // Tests.
        .testTarget(
            name: "ServiceLimitsTests", dependencies: ["AMQPClient", "CloudKitWire", "ServiceLimits"],
            path: "Tests/Benchmarks/Tests"),
        .target(
            name: "TestSupport",
            dependencies: [
                "AMQPClient", "CloudKitModel", "CloudKitWire", "PostgresClient", "ServiceMessages", lifecycle, logging,
                httpClient,
                .product(name: "NIOCore", package: "swift-nio"),
                .product(name: "NIOHTTP1", package: "swift-nio"),
                .product(name: "NIOSSL", package: "swift-nio-ssl"),
            ],
            path: "Tests/Support"),
        .target(name: "TestGenerators", dependencies: ["CloudKitModel", "CloudKitQuery"], path: "Tests/Generators"),
        .testTarget(
            name: "EndToEndTests",
            dependencies: [
                "AMQPClient", "CloudKit", "CloudKitModel", "CloudKitQuery", "CloudKitSchema", "CloudKitWire",
                "PostgresClient",
                "RequestServing", "ServiceMessages", "SignedTokens", "TestGenerators", "TestSupport", crypto,
                httpClient,
                .product(name: "NIOCore", package: "swift-nio"),
                .product(name: "NIOHTTP1", package: "swift-nio"),
            ],
            path: "Tests/EndToEnd", exclude: ["AppendixA.md", "Restarts/dump", "Restarts/replica"]),
        .testTarget(
            name: "CloudKitModelTests", dependencies: ["CloudKitModel", "CloudKitWire"],
            path: "Tests/Pure/CloudKitModel"),
        .testTarget(
            name: "CloudKitWireTests", dependencies: ["CloudKitModel", "CloudKitWire", "TestGenerators"],
            path: "Tests/Pure/CloudKitWire"),
        .testTarget(
            name: "CloudKitSchemaTests", dependencies: ["CloudKitModel", "CloudKitSchema", "TestGenerators"],
            path: "Tests/Pure/CloudKitSchema"),
        .testTarget(
            name: "CloudKitQueryTests",
            dependencies: ["CloudKitModel", "CloudKitQuery", "CloudKitSchema", "CloudKitWire", "TestGenerators"],
            path: "Tests/Pure/CloudKitQuery"),
        .testTarget(
            name: "CloudKitTests",
            dependencies: [
                "CloudKit", "CloudKitModel", "CloudKitQuery", "CloudKitWire", "TestGenerators", "TestSupport", crypto,
                httpClient,
                .product(name: "NIOCore", package: "swift-nio"),
                .product(name: "NIOHTTP1", package: "swift-nio"),
                .product(name: "NIOPosix", package: "swift-nio"),
                .product(name: "NIOSSL", package: "swift-nio-ssl"),
            ],
            path: "Tests/Pure/CloudKit"),
        .testTarget(
            name: "AMQPClientTests", dependencies: ["AMQPClient", "TestGenerators", collections, lifecycle, logging],
            path: "Tests/Pure/AMQPClient"),
        .testTarget(
            name: "PostgresClientTests", dependencies: ["PostgresClient", collections, lifecycle, logging],
            path: "Tests/Pure/PostgresClient"),
        .testTarget(
            name: "ResumableUploadsTests", dependencies: ["ResumableUploads"], path: "Tests/Pure/ResumableUploads"),
        .testTarget(
            name: "SignedTokensTests", dependencies: ["SignedTokens"], path: "Tests/Pure/SignedTokens"),
        .testTarget(
            name: "RequestServingTests",
            dependencies: [
                "AMQPClient", "CloudKitModel", "CloudKitWire", "PostgresClient", "RequestServing", "ServiceMessages",
                "ServiceRuntime", lifecycle, logging,
            ],
            path: "Tests/Pure/RequestServing"),
        .testTarget(
            name: "ServiceMessagesTests",
            dependencies: ["AMQPClient", "CloudKitModel", "ServiceMessages", "SignedTokens"],
            path: "Tests/Pure/ServiceMessages"),
        .testTarget(
            name: "OperatorMessagesTests",
            dependencies: [
                "CloudKitModel", "CloudKitSchema", "CloudKitWire", "OperatorMessages", "ServiceMessages", "TestSupport",
            ],
            path: "Tests/Pure/OperatorMessages"),
        .testTarget(
            name: "ServiceRuntimeTests", dependencies: ["ServiceRuntime", logging, metrics],
            path: "Tests/Pure/ServiceRuntime"),
        .testTarget(
            name: "HTTPServingTests",
            dependencies: [
                "CloudKitModel", "HTTPServing", "ServiceMessages", "ServiceRuntime",
                .product(name: "HTTPTypes", package: "swift-http-types"),
            ],
            path: "Tests/Pure/HTTPServing"),
        .testTarget(
            name: "ConfigurationTests",
            dependencies: [
                "AMQPClient", "AssetService", "CloudKitModel", "PostgresClient", "RecordService", "RequestServing",
                "Gateway", "ServiceRuntime", "SignedTokens", "SubscriptionService",
            ],
            path: "Tests/Pure/Configuration"),
        .testTarget(
            name: "RecordServiceTests",
            dependencies: [
                "AMQPClient", "CloudKitModel", "CloudKitSchema", "CloudKitWire", "PostgresClient", "RecordService",
                "RecordStorage", "RequestServing", "ServiceMessages", "ServiceRuntime", "SignedTokens", logging,
            ],
            path: "Tests/Pure/RecordService"),
        .testTarget(
            name: "RecordServiceServerTests",
            dependencies: [
                "AMQPClient", "CloudKitModel", "CloudKitQuery", "CloudKitSchema", "CloudKitWire", "PostgresClient",
                "RecordService", "RecordStorage", "RequestServing", "ServiceMessages", "ServiceRuntime", "SignedTokens",
                "SubscriptionService", "SubscriptionStorage", "TestGenerators", "TestSupport", logging,
            ],
            path: "Tests/Servers/RecordService"),
        .target(
            name: "AssetTestSupport",
            dependencies: [
                "AssetService", "BlobStorage", "ServiceMessages", "ServiceRuntime",
                .product(name: "NIOCore", package: "swift-nio"),
            ],
            path: "Tests/AssetSupport"),
        .testTarget(
            name: "AssetServiceTests",
            dependencies: [
                "AssetService", "AssetTestSupport", "BlobStorage", "CloudKitModel", "ServiceMessages", "ServiceRuntime",
                "TestGenerators", "TestSupport", crypto, httpClient,
                .product(name: "HTTPTypes", package: "swift-http-types"),
                .product(name: "NIOCore", package: "swift-nio"),
                .product(name: "NIOHTTP1", package: "swift-nio"),
            ],
            path: "Tests/Pure/AssetService"),
        .testTarget(
            name: "AssetServiceServerTests",
            dependencies: [
                "AMQPClient", "AssetService", "AssetStorage", "AssetTestSupport", "BlobStorage", "CloudKitModel",
                "CloudKitWire", "HTTPServing", "PostgresClient", "RequestServing", "ServiceMessages", "ServiceRuntime",
                "SignedTokens", "TestSupport", crypto, httpClient, lifecycle, logging,
                .product(name: "NIOCore", package: "swift-nio"),
                .product(name: "NIOHTTP1", package: "swift-nio"),
            ],
            path: "Tests/Servers/AssetService"),
        .testTarget(
            name: "SubscriptionServiceTests",
            dependencies: [
                "AMQPClient", "CloudKitModel", "CloudKitQuery", "CloudKitWire", "RequestServing", "ServiceMessages",
                "ServiceRuntime", "SubscriptionService", "SubscriptionStorage", "TestGenerators", "TestSupport",
                logging,
            ],
            path: "Tests/Pure/SubscriptionService"),
        .testTarget(
            name: "SubscriptionServiceServerTests",
            dependencies: [
                "AMQPClient", "CloudKitModel", "CloudKitQuery", "CloudKitWire", "PostgresClient", "RequestServing",
                "ServiceMessages", "ServiceRuntime", "SignedTokens", "SubscriptionService", "SubscriptionStorage",
                "TestGenerators", "TestSupport", lifecycle, logging,
            ],
            path: "Tests/Servers/SubscriptionService"),
        .target(
            name: "GatewayTestSupport",
            dependencies: [
                "AMQPClient", "CloudKitModel", "Gateway", "HTTPServing", "RequestServing", "ServiceMessages",
                "ServiceRuntime", "SignedTokens", "TestSupport", hummingbird, logging,
                .product(name: "HTTPTypes", package: "swift-http-types"),
                .product(name: "NIOCore", package: "swift-nio"),
                .product(name: "NIOSSL", package: "swift-nio-ssl"),
            ],
            path: "Tests/GatewaySupport"),
        .testTarget(
            name: "GatewayTests",
            dependencies: [
                "AMQPClient", "CloudKitModel", "CloudKitWire", "Gateway", "GatewayStorage", "GatewayTestSupport",
                "HTTPServing", "RequestServing", "ServiceMessages", "ServiceRuntime", "SignedTokens", "TestSupport",
                crypto, httpClient, hummingbird, logging,
                .product(name: "HTTPTypes", package: "swift-http-types"),
                .product(name: "NIOCore", package: "swift-nio"),
                .product(name: "NIOHTTP1", package: "swift-nio"),
                .product(name: "NIOSSL", package: "swift-nio-ssl"),
            ],
            path: "Tests/Pure/Gateway"),
        .testTarget(
            name: "GatewayServerTests",
            dependencies: [
                "AMQPClient", "CloudKitModel", "CloudKitWire", "Gateway", "GatewayStorage", "GatewayTestSupport",
                "PostgresClient", "RequestServing", "ServiceMessages", "ServiceRuntime", "SignedTokens", "TestSupport",
                crypto, lifecycle, logging,
                .product(name: "HTTPTypes", package: "swift-http-types"),
            ],
            path: "Tests/Servers/Gateway"),
        .testTarget(
            name: "CommandLineTests",
            dependencies: [
                "AMQPClient", "CloudKitModel", "CloudKitQuery", "CloudKitSchema", "CloudKitWire", "CommandLine",
                "CommandLineSession", "FakeServices", "OperatorMessages", "ServiceMessages", "SignedTokens",
                "TestGenerators", "TestSupport", arguments, crypto, logging,
                .product(name: "NIOCore", package: "swift-nio"),
            ],
            path: "Tests/Pure/CommandLine"),
        .testTarget(
            name: "LoadGeneratorTests",
            dependencies: [
                "AMQPClient", "CloudKitModel", "CloudKitQuery", "CloudKitWire", "CommandLineSession", "FakeServices",
                "LoadGenerator", "ServiceMessages", "TestGenerators", arguments,
            ],
            path: "Tests/Pure/LoadGenerator"),
        .testTarget(
            name: "CommandLineServerTests",
            dependencies: [
                "AMQPClient", "CloudKitModel", "CloudKitWire", "CommandLine", "CommandLineSession", "FakeServices",
                "ServiceMessages", logging,
            ],
            path: "Tests/Servers/CommandLine"),
        .testTarget(
            name: "LoadGeneratorServerTests",
            dependencies: [
                "AMQPClient", "CloudKitModel", "CloudKitWire", "CommandLineSession", "FakeServices", "LoadGenerator",
                "ServiceMessages", logging,
            ],
            path: "Tests/Servers/LoadGenerator"),
        .target(
            name: "FakeServices",
            dependencies: [
                "AMQPClient", "CloudKitModel", "CloudKitWire", "CommandLineSession", "OperatorMessages",
                "ServiceMessages", "TestSupport", logging,
            ],
            path: "Tests/FakeServices"),
        .testTarget(
            name: "AMQPClientServerTests", dependencies: ["AMQPClient", "TestSupport", lifecycle, logging],
            path: "Tests/Servers/AMQPClient"),
        .testTarget(
            name: "PostgresClientServerTests", dependencies: ["PostgresClient", "TestSupport", lifecycle, logging],
            path: "Tests/Servers/PostgresClient"),
    ]
)

/// The targets that the library `CloudKit` consists of. SwiftPM resolves a package only if one of these targets uses it,
/// or if the trait `Server` is enabled.
let clientTargets: Set = [
    "CCloudKitLaunch", "CLinux", "CloudKit", "CloudKitModel", "CloudKitQuery", "CloudKitWire", "ResumableUploads",
]
for target in package.targets where !clientTargets.contains(target.name) {
    target.dependencies = target.dependencies.map { dependency in
        guard case .productItem(let name, let package, let aliases, _) = dependency else { return dependency }
        return .productItem(
            name: name, package: package, moduleAliases: aliases, condition: .when(traits: ["Server"]))
    }
}

for target in package.targets where target.type != .system {
    target.swiftSettings =
        (target.swiftSettings ?? []) + [
            .swiftLanguageMode(.v6),
            .enableUpcomingFeature("ExistentialAny"),
            .enableUpcomingFeature("MemberImportVisibility"),
            .enableUpcomingFeature("InternalImportsByDefault"),
            .enableUpcomingFeature("NonisolatedNonsendingByDefault"),
        ]
}
