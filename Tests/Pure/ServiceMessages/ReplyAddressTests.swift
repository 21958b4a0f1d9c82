import ServiceMessages
import Testing

@Suite struct ReplyAddressTests {
    private static let direct =
        "amq.rabbitmq.reply-to.g1h2AAtyZXBseUAxMjM0NQAAAGQAAAAAY3rrQA==.a2tra2tra2tra2tra2traw=="

    @Test func directRepliesAndReplyQueuesAreAllowed() {
        #expect(ReplyAddress.isAllowed(Self.direct))
        #expect(ReplyAddress.isAllowed("reply.mine"))
        #expect(ReplyAddress.isDirect(Self.direct))
        #expect(!ReplyAddress.isDirect("reply.mine"))
    }

    @Test(arguments: ["amq.rabbitmq.reply-to", "amq.rabbitmq.reply-to.a.b", "record.writes", "reply", ""])
    func anythingElseIsNot(replyTo: String) {
        #expect(!ReplyAddress.isAllowed(replyTo))
        #expect(!ReplyAddress.isAllowed(replyTo, to: "user"))
    }

    @Test func aProducerIsAnsweredInItsOwnQueuesOnly() {
        #expect(ReplyAddress.isAllowed("reply.orders.1", to: "orders"))
        #expect(ReplyAddress.isAllowed(Self.direct, to: "orders"))
        #expect(!ReplyAddress.isAllowed("reply.invoices.1", to: "orders"))
        #expect(!ReplyAddress.isAllowed("reply.orders2", to: "orders"))
        #expect(!ReplyAddress.isAllowed("reply.orders.1", to: nil))
        #expect(!ReplyAddress.isAllowed("reply..1", to: ""))
    }
}
