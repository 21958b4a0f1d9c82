import TestSupport

extension SharingRun {
    /// Compares a participant's reading, during which others wrote, with the model. One more fetch from its end must have
    /// led to what the participant now sees.
    mutating func check(_ shared: SharedRead, since before: ReferenceModel, draw: Int) throws {
        let (read, user) = (shared.read, shared.user.name)
        let (former, zone) = (before.zone(read.start.zone), knowledge.model.zone(read.start.zone))
        let (was, now) = (former.accesses[user] ?? ModelAccess(), zone.accesses[user] ?? ModelAccess())
        func fail(_ reason: String) -> TestFailure {
            TestFailure("a reading of \(shared.user) \(reason): \(read). The user sees \(zone.view(of: user) ?? [:])")
        }
        let isConstant = was.turns == now.turns && former.incarnation == zone.incarnation
        switch read.end {
        case .reached where isConstant && now.held.isEmpty: throw fail("reached a zone without access")
        case .reached: break
        case .missing where isConstant && !now.held.isEmpty: throw fail("found no zone")
        case .missing: count("read: missing")
        case .expired:
            guard read.start.mayExpire(in: zone, now) || was.expiries < now.expiries else {
                throw fail("should not have expired")
            }
            count("read: expired")
        default: throw fail("was refused")
        }
        if let id = shared.acceptance, gains.contains(id) { count("gained while paging") }
        guard let final = read.final else { return }
        switch final.end {
        case .reached:
            guard final.copy.records == zone.view(of: user) else { throw fail("has missed something") }
            let copies = read.pages.map { noted($0, in: former, was) } + [noted(final.copy, in: zone, now)]
            if former.incarnation == zone.incarnation {
                knowledge.remember(copies, of: read.start.zone, for: user, draw: draw)
            }
            count("read: reached")
        case .missing:
            guard now.held.isEmpty else { throw fail("found no zone at its end") }
        case .expired:
            let last = read.pages.last ?? read.start
            // The token was issued during this round.
            guard !isConstant || read.start.mayExpire(in: zone, now) else {
                throw fail("should not have expired at its end: \(last)")
            }
        default: throw fail("was refused at its end")
        }
    }

    /// Compares a copy that a participant keeps with the model.
    ///
    /// - Returns: the copy, with what the model says about its token.
    mutating func checked(_ watch: SharedWatch) throws -> SharedWatch {
        var watch = watch
        let (user, zone) = (watch.user.name, knowledge.model.zone(watch.copy.zone))
        let access = zone.accesses[user] ?? ModelAccess()
        let seen = zone.view(of: user)
        guard watch.end == (seen == nil ? .missing : .reached), watch.copy.records == seen ?? [:] else {
            throw TestFailure(
                "the copy of \(watch.user) ends with \(watch.end): \(watch.copy). The user sees \(seen ?? [:])")
        }
        if watch.hasExpired {
            guard watch.mayExpire(in: zone, access) else {
                throw TestFailure("the token of \(watch.user) should not have expired: \(watch.copy)")
            }
            count("kept copy: expired")
        }
        watch.note(incarnation: zone.incarnation, expiries: access.expiries)
        count("kept copy")
        return watch
    }

    /// Compares a copy of the shared database with the model.
    mutating func check(_ database: DatabaseCopy, of user: ModelUser) throws {
        for zone in SharingProgram.zones where SharingProgram.owners[zone] != user {
            let (known, seen) = (database.zones[zone]?.records, knowledge.model.zone(zone).view(of: user.name))
            guard known == seen else {
                throw TestFailure(
                    "the database of \(user) has missed something in \(zone): \(seen ?? [:]): \(database)")
            }
        }
        count("sync")
    }

    /// Checks that only zones were listed in which something changed that the user sees or saw.
    mutating func check(_ listed: Set<String>, of user: ModelUser, since before: ReferenceModel) throws {
        for name in listed {
            let (former, zone) = (before.zone(name).accesses[user.name], knowledge.model.zone(name).accesses[user.name])
            guard former?.news != zone?.news else {
                throw TestFailure(
                    "\(name) was listed for \(user), who has no news there: \(before.zone(name)), \(knowledge.model.zone(name))"
                )
            }
            count(zone?.held.isEmpty ?? true ? "database: lost" : "database: changed")
        }
    }

    private func noted(_ copy: ZoneCopy, in zone: ModelZone, _ access: ModelAccess) -> ZoneCopy {
        var copy = copy
        (copy.incarnation, copy.expiries) = (zone.incarnation, access.expiries)
        return copy
    }
}

extension ZoneCopy {
    /// Whether the model permits that the token of the copy has expired.
    func mayExpire(in zone: ModelZone, _ access: ModelAccess) -> Bool {
        incarnation != zone.incarnation || expiries < access.expiries
    }
}
