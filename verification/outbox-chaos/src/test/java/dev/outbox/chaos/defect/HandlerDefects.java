package dev.outbox.chaos.defect;

import java.util.List;

/** Defects of calling handlers and of background threads. */
final class HandlerDefects {

    static final List<Defect> ALL = List.of(
            Defect.of(
                    "deduplication commits before the handler",
                    "G7",
                    "DeduplicationInbox.java",
                    "Set<UUID> inserted = insert(eventIds, ids);",
                    "Set<UUID> inserted = inTransaction(ids, () -> insert(eventIds, ids));",
                    "DeduplicationTest"),
            Defect.of(
                    "deduplication does not notice a second delivery",
                    "G7",
                    "DeduplicationInbox.java",
                    "inserted.contains(event.eventId())",
                    "inserted.contains(event.eventId()) || !ids.isEmpty()",
                    "DeduplicationTest"),
            Defect.of(
                    "silent rollback counts as success",
                    "G2",
                    "DecoratedHandlers.java",
                    "if (ending == Ending.SILENT_ROLLBACK) {",
                    "if (ending == Ending.SILENT_ROLLBACK && envelope == null) {",
                    "SilentRollbackTest"),
            Defect.of(
                    "interrupt flag reaches the next handler",
                    "G4",
                    "Invocation.java",
                    "closing has its own.\n            Thread.interrupted();\n",
                    "closing has its own.\n",
                    "HandlerProtectionTest"),
            Defect.of(
                    "background task counts as started before it is",
                    "G2",
                    "BackgroundLoop.java",
                    "                    started.start();\n                    thread = started;\n",
                    "                    thread = started;\n                    started.start();\n",
                    "BackgroundLoopTest",
                    "ThreadShortageTest"),
            Defect.of(
                    "background task ends at its first failure",
                    "G2",
                    "BackgroundLoop.java",
                    "            return afterFailure(ex, outages);\n",
                    "            closing = true;\n            return afterFailure(ex, outages);\n",
                    "BackgroundLoopTest"),
            Defect.of(
                    "events of unknown handlers count as handled",
                    "G2",
                    "Dispatcher.java",
                    "route.delegated().forEach((handlerId) -> record(event, handlerId, DeliveryOutcome.QUEUED));",
                    "",
                    "RollingDeployTest"));

    private HandlerDefects() {}
}
