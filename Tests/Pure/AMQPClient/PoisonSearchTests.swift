import Testing

@testable import AMQPClient

@Suite struct PoisonSearchTests {
    @Test func suspectsAreTriedAloneInTheirOrderAndClearedByAnAnswer() {
        var search = PoisonSearch<Int>()
        #expect(!search.isActive)
        search.suspect([1, 2])
        #expect(search.next() == 1)
        #expect(search.next() == nil)
        search.answered()
        #expect(search.next() == 2)
        search.answered()
        #expect(!search.isActive)
        #expect(search.next() == nil)
    }

    @Test func theThirdEndGivesUpTheOneThatIsTriedAndNoOther() {
        var search = PoisonSearch<Int>()
        search.suspect([1, 2, 3])
        _ = search.next()
        search.answered()
        #expect(search.next() == 2)
        #expect(search.ended() == nil)
        #expect(search.next() == 2)
        #expect(search.ended() == 2)
        #expect(search.next() == 3)
        search.answered()
        #expect(!search.isActive)
    }

    @Test func endsWithoutBlameGiveNothingUp() {
        var search = PoisonSearch<Int>()
        search.suspect([1])
        for _ in 0..<10 {
            #expect(search.next() == 1)
            search.interrupted()
        }
        _ = search.next()
        #expect(search.ended() == nil)
        #expect(search.elements == [1])
    }

    @Test func anEndBetweenTwoTrialsProvesNothing() {
        var search = PoisonSearch<Int>()
        search.suspect([1])
        for _ in 0..<3 { #expect(search.ended() == nil) }
        #expect(search.isActive)
    }

    @Test func whatIsSuspectedOnceClearedBeginsAnew() {
        var search = PoisonSearch<Int>()
        for _ in 0..<5 {
            search.suspect([1])
            _ = search.next()
            search.answered()
        }
        #expect(search.removeAll().isEmpty)
    }
}

@Suite struct ChannelBlameTests {
    private func message(_ exchange: String, bytes: Int = 1) -> AMQPMessage {
        AMQPMessage(exchange: exchange, routingKey: "q", body: [UInt8](repeating: 0, count: bytes))
    }

    private func blame(_ text: String) -> ChannelBlame { ChannelBlame(AMQPError(.channelClosed, text, replyCode: 406)) }

    @Test func theTextOfASizeIsAboutLargerBodies() {
        let blame = blame("PRECONDITION_FAILED - message size 17 is larger than configured max size 16")
        #expect(blame.isAbout(message("a", bytes: 17)))
        #expect(!blame.isAbout(message("a", bytes: 16)))
    }

    @Test func theTextOfAnExchangeIsAboutItsMessages() {
        let blame = blame("NOT_FOUND - no exchange 'a' in vhost '/'")
        #expect(blame.isAbout(message("a")))
        #expect(!blame.isAbout(message("ab")))
        #expect(!blame.isAbout(message("")))
        #expect(
            self.blame("ACCESS_REFUSED - access to exchange 'amq.default' in vhost '/' refused").isAbout(message("")))
    }

    @Test func otherTextsAreAboutNoMessage() {
        #expect(!blame("INTERNAL_ERROR").isAbout(message("a")))
    }

    @Test func onlyTheBrokersErrorsBlameAMessage() {
        #expect(AMQPError(.connectionLost, "INTERNAL_ERROR", replyCode: 541).blamesAMessage)
        #expect(AMQPError(.channelClosed, "PRECONDITION_FAILED", replyCode: 406).blamesAMessage)
        #expect(!AMQPError(.connectionLost, "CONNECTION_FORCED - shutdown", replyCode: 320).blamesAMessage)
        #expect(!AMQPError(.connectionLost, "a socket error occurred").blamesAMessage)
        #expect(!AMQPError(.refused, "no queue 'q'", replyCode: 404).blamesAMessage)
    }
}
