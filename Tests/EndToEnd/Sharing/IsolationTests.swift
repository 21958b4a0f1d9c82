import AMQPClient
import CloudKitWire
import Foundation
import ServiceMessages
import TestSupport
import Testing

extension EndToEndTests {
    /// What a user may not see does not exist for that user: the answers are those for names that were never used,
    /// nothing is written, and nothing is heard.
    @Suite(.sharedGateway, .timeLimit(.minutes(4))) struct IsolationTests {
        /// A request with hidden names, and the same request with made-up names.
        private struct Question: Sendable {
            let caller: IsolationScene.Caller
            let probe: IsolationProbe
            let database: String
            let hidden: IsolationNames
            let madeUp: IsolationNames
        }

        @Test func everyOperationOfUsersIsProbed() {
            let ofUsers = ServiceMessages.Operation.allCases.filter { $0.exchange == Exchange.requests }
            let probed = Set(IsolationProbe.all.map(\.operation)).union(IsolationProbe.namingNothing)
            #expect(ofUsers.filter { !probed.contains($0) } == [])
        }

        @Test(arguments: SharingUser.Transport.allCases)
        func hiddenNamesAreAnsweredLikeNamesThatWereNeverUsed(transport: SharingUser.Transport) async throws {
            let stack = try SharedStack.current
            let scene = try await IsolationScene(transport, on: stack)
            let token = try await scene.owner.broker.changes(IsolationScene.zone).syncToken
            let listeners = Self.listeners(scene)
            for listener in listeners { try await listener.subscribe() }
            let heard = Mailboxes()
            try await stack.withMailboxes(listeners, heard) {
                let questions = Self.questions(scene)
                try await Self.forEach(questions) { try await Self.compare($0) }
                try await Self.compareFilesInMessages(scene)
                for caller in scene.callers { try await Self.expectNoSecrets(caller, scene) }
                // Nothing was written.
                let after = try await scene.owner.broker.changes(IsolationScene.zone, since: token)
                #expect(after.recordNames == [])
                #expect(after.syncToken == token)
                try await Self.expectSilence(scene, heard)
            }
        }

        /// Returns every question of every caller.
        private static func questions(_ scene: IsolationScene) -> [Question] {
            var questions: [Question] = []
            for caller in scene.callers {
                let databases = caller.level == .zone ? ["shared", "private", "public"] : ["shared"]
                for probe in IsolationProbe.all where probe.levels.contains(caller.level) {
                    for record in caller.records {
                        let hidden = scene.hidden(from: caller, record: record)
                        var madeUp = hidden
                        (madeUp.record, madeUp.share) = ("never", "N-share")
                        madeUp.link = String(repeating: "n", count: hidden.link.utf8.count)
                        (madeUp.subscription, madeUp.participant) = ("of-none", "9.9")
                        guard caller.level == .zone else {
                            questions.append(
                                .init(caller: caller, probe: probe, database: "shared", hidden: hidden, madeUp: madeUp))
                            continue
                        }
                        var ofUnknownUser = madeUp
                        madeUp.zone = "Missing"
                        ofUnknownUser.owner = TestClient.newUser()
                        for database in databases {
                            for other in [madeUp, ofUnknownUser] {
                                questions.append(
                                    .init(
                                        caller: caller, probe: probe, database: database, hidden: hidden, madeUp: other)
                                )
                            }
                        }
                    }
                }
            }
            return questions
        }

        private static func compare(_ question: Question) async throws {
            let (probe, user) = (question.probe, question.caller.user)
            // Requests with links are sent to the public database.
            let isOfLinks = [.recordsResolve, .recordsAccept, .sharesRequestAccess].contains(probe.operation)
            let database = isOfLinks ? "public" : question.database
            let hidden = try await user.ask(probe.operation, in: database, probe.body(question.hidden))
            let madeUp = try await user.ask(probe.operation, in: database, probe.body(question.madeUp))
            let (one, other) = (question.hidden.normalized(hidden), question.madeUp.normalized(madeUp))
            let label = "\(question.caller.label) in \(database): \(probe.operation.rawValue)"
            #expect(one == other, "\(label) \(probe.body(question.hidden))")
            #expect(!one.contains(IsolationScene.secret), "\(label) \(one)")
        }

        /// `assets.put`, whose names are in headers.
        private static func compareFilesInMessages(_ scene: IsolationScene) async throws {
            for caller in scene.callers where caller.level == .zone {
                func put(_ owner: String, _ zone: String) async throws -> SharingUser.Answer {
                    let client = caller.user.broker.with(Header.database, "shared")
                        .with(Header.zone, .string(zone)).with(Header.zoneOwner, .string(owner))
                    let reply = try await client.ask(client.message(.assetsPut, [1, 2, 3], messageID: nil))
                    return .init(status: reply.status, body: reply.body)
                }
                var madeUp = scene.names
                madeUp.zone = "Missing"
                let (hidden, other) = (
                    try await put(scene.owner.name, scene.names.zone), try await put(scene.owner.name, madeUp.zone)
                )
                #expect(scene.names.normalized(hidden) == madeUp.normalized(other), "\(caller.label)")
                #expect(hidden.status >= 400)
            }
        }

        /// Lists, whose requests contain no names, do not show what is hidden, and old addresses accept no bytes.
        private static func expectNoSecrets(
            _ caller: IsolationScene.Caller, _ scene: IsolationScene
        ) async throws {
            for operation in [
                ServiceMessages.Operation.zonesList, .zonesChanges, .changesDatabase, .subscriptionsList,
            ] {
                let answer = try await caller.user.ask(operation, in: "shared")
                let text = String(decoding: answer.body.encoded(), as: UTF8.self)
                if caller.level == .zone {
                    #expect(!text.contains(IsolationScene.zone) && !text.contains(scene.owner.name), "\(caller.label)")
                }
            }
            guard let old = caller.old else { return }
            let refused = try await AssetClient.upload(randomBytes(10), to: old.upload)
            #expect(refused.status == 404 && refused.json["ckErrorCode"] == 26, "\(caller.label)")
            // In the user's own zone, the old receipt is not valid.
            let own = caller.user.broker
            try await own.zones("create", "Own")
            let saved = try await own.modify("Own", .operation("create", "a", ["file": old.receipt]))
            #expect(saved["records"]?[0]?.reasonCode == "asset_receipt_foreign", "\(caller.label) \(saved.body)")
            // A participant id of the owner's share is there like one that was never issued.
            _ = try await own.modify("Own", .note("create", "b"))
            func share(with id: String) async throws -> String {
                let reply = try await own.modify(
                    "Own", .share("create", "T", of: "b", participants: [["participantId": .string(id)]]))
                #expect(SharingRefusal.outcomes(of: reply.body) == [.participantInvalid], "\(reply.body)")
                return scene.names.normalized(.init(status: reply.status, body: reply.body))
            }
            #expect(try await share(with: scene.names.participant) == share(with: "9.9"))
            // There, the old token is not valid either.
            let token = try await own.ask(
                .changesZone, ["zones": [["zoneID": .zone("Own"), "syncToken": .string(old.zoneToken)]]])
            #expect(token["zones"]?[0]?.errorCode == "BAD_REQUEST", "\(caller.label) \(token.body)")
        }
    }
}

// MARK: - What is heard

extension EndToEndTests.IsolationTests {
    private static func listeners(_ scene: IsolationScene) -> [IsolationListener] {
        let others = scene.callers.filter(\.isUser)
        let owner = IsolationListener(user: scene.owner, database: "private", id: scene.names.subscription)
        return [owner] + others.map { IsolationListener(user: $0.user, database: "shared", id: "all") }
    }

    /// Changes a hidden record and then a shared one. The notifications of a zone are in the order of its changes, so a
    /// user whose first notification is about the shared record has not heard of anything before.
    private static func expectSilence(_ scene: IsolationScene, _ heard: Mailboxes) async throws {
        for name in ["diary", "item"] {
            let saved = try await scene.owner.broker.modify(IsolationScene.zone, .note("update", name))
            try #require(saved["records"]?[0]?.errorCode == nil, "\(saved.body)")
        }
        #expect(try await heard.names(scene.owner, 2) == ["diary", "item"])
        for caller in scene.callers where caller.seesList {
            #expect(try await heard.names(caller.user, 1) == ["item"], "\(caller.label)")
        }
        for caller in scene.callers where !caller.seesList {
            #expect(heard.isSilent(caller.user), "\(caller.label)")
        }
    }

    /// Calls `body` for all elements, many at a time.
    private static func forEach<Element: Sendable>(
        _ elements: [Element], _ body: @escaping @Sendable (Element) async throws -> Void
    ) async throws {
        try await withThrowingTaskGroup(of: Void.self) { group in
            for (position, element) in elements.enumerated() {
                if position >= 16 { try await group.next() }
                group.addTask { try await body(element) }
            }
            try await group.waitForAll()
        }
    }
}
