package dev.outbox.chaos.defect;

import java.util.List;

/** Defects of calling handlers and of background threads. */
final class HandlerDefects {

    static final List<Defect> ALL = List.of(
            Defect.of(
                    "deduplication commits before the handler",
                    "G7",
                    "dispatch/Inbox.java",
                    "            if (first) {\n                work.run();\n",
                    "            if (first) {\n                transactions.commit(transaction);\n"
                            + "                transaction = transactions.getTransaction(definition(id));\n                work.run();\n",
                    "runtime.DeduplicationTest"),
            Defect.of(
                    "deduplication does not notice a second delivery",
                    "G7",
                    "dispatch/Inbox.java",
                    "            if (first) {\n                work.run();\n",
                    "            if (first || !ids.isEmpty()) {\n                work.run();\n",
                    "runtime.DeduplicationTest"),
            Defect.of(
                    "silent rollback counts as success",
                    "G2",
                    "dispatch/SilentRollback.java",
                    "            if (rolledBack) {\n",
                    "            if (rolledBack && envelope == null) {\n",
                    "dispatch.SilentRollbackTest"),
            Defect.of(
                    "interrupt flag reaches the next handler",
                    "G4",
                    "dispatch/Invocation.java",
                    "            // it: it has its own.\n            Thread.interrupted();\n",
                    "            // it: it has its own.\n",
                    "dispatch.HandlerProtectionTest"),
            Defect.of(
                    "background task counts as started before it is",
                    "G2",
                    "duty/Duty.java",
                    "                    started.start();\n                    thread = started;\n",
                    "                    thread = started;\n                    started.start();\n",
                    "duty.DutyTest",
                    "poll.ThreadShortageTest"),
            Defect.of(
                    "background task ends at its first failure",
                    "G2",
                    "duty/Duty.java",
                    "            return afterFailure(ex);\n",
                    "            closing = true;\n            return afterFailure(ex);\n",
                    "duty.DutyTest"),
            Defect.of(
                    "events of unknown handlers count as handled",
                    "G2",
                    "dispatch/Dispatcher.java",
                    "        route.remote().forEach((handlerId) ->"
                            + " outcomes.add(new OfHandler(handlerId, new Outcome.HandedOver())));\n",
                    "",
                    "runtime.RollingDeployTest"));

    private HandlerDefects() {}
}
