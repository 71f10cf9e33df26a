package dev.outbox.benchmarks.transactionoutbox;

import com.gruelbox.transactionoutbox.Dialect;
import com.gruelbox.transactionoutbox.Persistor;
import com.gruelbox.transactionoutbox.SpringInstantiator;
import com.gruelbox.transactionoutbox.SpringTransactionManager;
import com.gruelbox.transactionoutbox.SpringTransactionOutboxConfiguration;
import com.gruelbox.transactionoutbox.TransactionOutbox;
import dev.outbox.benchmarks.worker.AccountChanged;
import dev.outbox.benchmarks.worker.Setup;
import java.time.Clock;
import java.time.Duration;
import org.springframework.boot.autoconfigure.EnableAutoConfiguration;
import org.springframework.context.annotation.Bean;
import org.springframework.context.annotation.Configuration;
import org.springframework.context.annotation.Import;

/** Beans of the service. */
@Configuration(proxyBeanMethods = false)
@EnableAutoConfiguration
@Import(SpringTransactionOutboxConfiguration.class)
class Service {

    static final int FLUSH_BATCH = 1000;
    static final Duration ATTEMPT_FREQUENCY = Duration.ofMillis(Setup.RETRY_AFTER_MILLIS);

    private static final Duration LONG_AGO = Duration.ofHours(-1);

    @Bean
    Calls calls(Setup setup) {
        return (handler, number, key, seq, note) ->
                setup.handling().handle(handler, new AccountChanged(number, key, seq, note));
    }

    @Bean
    Submission submission(Setup setup) {
        return new Submission(setup.role().tuned());
    }

    @Bean
    TransactionOutbox outbox(
            Setup setup, SpringTransactionManager transactions, SpringInstantiator beans, Submission submission) {
        TransactionOutbox.TransactionOutboxBuilder builder = TransactionOutbox.builder()
                .transactionManager(transactions)
                .instantiator(beans)
                .persistor(Persistor.forDialect(Dialect.POSTGRESQL_9))
                .submitter(submission);
        if (setup.role().tuned()) {
            builder.attemptFrequency(ATTEMPT_FREQUENCY).flushBatchSize(FLUSH_BATCH);
        }
        if (!setup.role().delivers()) {
            // Published entries are overdue at once, so a flush can take them without a delay.
            Clock past = Clock.offset(Clock.systemUTC(), LONG_AGO);
            builder.clockProvider(() -> past);
        }
        return builder.build();
    }
}
