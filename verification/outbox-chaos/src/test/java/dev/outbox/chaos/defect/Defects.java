package dev.outbox.chaos.defect;

import java.util.List;
import java.util.stream.Stream;

/** All seeded defects. */
final class Defects {

    static final List<Defect> ALL = Stream.of(
                    PublishingDefects.ALL,
                    ClaimDefects.ALL,
                    CrashDefects.ALL,
                    SettlementDefects.ALL,
                    RedeliveryDefects.ALL,
                    HandlerDefects.ALL,
                    WaitDefects.ALL)
            .flatMap(List::stream)
            .toList();

    /** One that is caught within seconds. */
    static final Defect SAMPLE = ALL.stream()
            .filter(defect -> defect.name().equals("claim does not wait for open writers"))
            .findFirst()
            .orElseThrow();

    private Defects() {}
}
