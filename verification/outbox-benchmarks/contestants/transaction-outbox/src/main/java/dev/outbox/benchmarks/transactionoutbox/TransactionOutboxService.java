package dev.outbox.benchmarks.transactionoutbox;

import com.gruelbox.transactionoutbox.TransactionOutbox;
import dev.outbox.benchmarks.worker.AccountChanged;
import dev.outbox.benchmarks.worker.Contestant;
import dev.outbox.benchmarks.worker.Setup;
import dev.outbox.benchmarks.worker.Transactions;
import dev.outbox.benchmarks.worker.spring.Application;
import java.sql.Connection;
import java.time.Duration;
import java.util.Map;

/**
 * Service with transaction-outbox. Calls run in the publishing process right after the commit, in no order; a flushing
 * process takes the rest. This version, the newest on Maven Central, has no ordered topics.
 */
public final class TransactionOutboxService implements Contestant {

    /** Pause between flushes in the documentation's example. */
    private static final Duration DEFAULT_PAUSE = Duration.ofMinutes(1);

    private static final Duration TUNED_PAUSE = Duration.ofMillis(10);

    private final Setup setup;
    private final Application application;
    private final TransactionOutbox outbox;
    private final Flushing flushing;

    /** Starts the service. */
    public TransactionOutboxService(Setup setup) {
        this.setup = setup;
        this.application = new Application(setup, Service.class, Map.of());
        this.outbox = application.bean(TransactionOutbox.class);
        this.flushing = new Flushing(outbox, setup.role().tuned() ? TUNED_PAUSE : DEFAULT_PAUSE);
    }

    @Override
    public Map<String, String> settings() {
        Map<String, String> settings = application.settings();
        boolean tuned = setup.role().tuned();
        settings.put("threads", tuned ? Integer.toString(Submission.THREADS) : "1, its default");
        settings.put(
                "queue",
                tuned ? Submission.QUEUE + ", then the caller runs" : "16384, its default, then a later flush");
        settings.put("flushBatchSize", tuned ? Integer.toString(Service.FLUSH_BATCH) : "4096, its default");
        settings.put("attemptFrequency", tuned ? Service.ATTEMPT_FREQUENCY.toString() : "PT2M, its default");
        settings.put("pause between flushes", (tuned ? TUNED_PAUSE : DEFAULT_PAUSE).toString());
        return settings;
    }

    @Override
    public Transactions transactions() {
        return application.transactions();
    }

    @Override
    public void publish(Connection connection, AccountChanged event) {
        Calls calls = outbox.schedule(Calls.class);
        for (int handler = 0; handler < setup.role().handlers(); handler++) {
            calls.handle(handler, event.number(), event.key(), event.seq(), event.note());
        }
    }

    @Override
    public void start() {
        if (setup.role().delivers()) {
            application.bean(Submission.class).begin();
            flushing.start();
        }
    }

    @Override
    public String pending() {
        return "SELECT count(*) FROM txno_outbox";
    }

    @Override
    public void close() {
        flushing.close();
        application.close();
    }
}
