package dev.outbox.benchmarks.modulith;

import dev.outbox.benchmarks.worker.Setup;
import org.springframework.modulith.events.FailedEventPublications;
import org.springframework.modulith.events.ResubmissionOptions;
import org.springframework.scheduling.annotation.Scheduled;

/** Retries, which Spring Modulith leaves to the application. */
class Retries {

    private static final int BATCH = 1000;

    private final FailedEventPublications failed;
    private final Delivering delivering;

    Retries(FailedEventPublications failed, Delivering delivering) {
        this.failed = failed;
        this.delivering = delivering;
    }

    @Scheduled(fixedDelay = Setup.RETRY_AFTER_MILLIS)
    void resubmit() {
        if (delivering.hasBegun()) {
            failed.resubmit(ResubmissionOptions.defaults().withBatchSize(BATCH));
        }
    }
}
