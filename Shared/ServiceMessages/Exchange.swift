/// The exchanges of Zonda (`deploy/docs/messages.md`); all are durable.
package enum Exchange {
    /// Users' requests, direct: the routing key is the operation.
    package static let requests = "zonda.requests"
    /// Operators' requests, direct.
    package static let admin = "zonda.admin"
    /// Requests between services, direct.
    package static let `internal` = "zonda.internal"
    /// What was committed, topic: see ``ChangeEvent``.
    package static let changes = "zonda.changes"
    /// Notifications for consumers, topic.
    package static let notifications = "zonda.notifications"
    /// Rejected or undeliverable messages under their original routing key, topic.
    package static let dead = "zonda.dead"
    /// Requests whose operation nobody serves (the alternate exchange of the request exchanges), fanout: they are
    /// answered with an error instead of vanishing.
    package static let unknown = "zonda.unknown"
}

/// The queues of Zonda.
package enum Queue {
    /// Users' writes; quorum.
    package static let recordWrites = "record.writes"
    /// Users' reads, and requests whose operation nobody serves; classic: a lost read is asked again.
    package static let recordReads = "record.reads"
    /// Operators' requests to the record service; quorum.
    package static let recordAdmin = "record.admin"
    /// Other services' requests to the record service; classic.
    package static let recordInternal = "record.internal"
    /// Dead-lettered record requests, so that a waiting caller is answered; quorum.
    package static let recordDead = "record.dead"
    /// Everything dead-lettered, for operators; quorum.
    package static let deadLetters = "dead-letters"
}
