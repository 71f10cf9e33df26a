package dev.outbox.chaos.process;

import dev.outbox.HandlerDefinition;
import dev.outbox.chaos.history.FactWriter;
import dev.outbox.operations.OutboxOperations;
import dev.outbox.operations.OutboxOperations.InboxStart;
import java.util.Map;
import org.springframework.boot.autoconfigure.condition.ConditionalOnProperty;
import org.springframework.context.annotation.Bean;
import org.springframework.context.annotation.Configuration;
import org.springframework.jdbc.core.JdbcTemplate;

/** Process that receives events from Kafka and handles all of them, with and without deduplication. */
@Configuration(proxyBeanMethods = false)
@ConditionalOnProperty(name = ChaosProcess.ROLE, havingValue = "receiver")
public class ReceivingProcess {

    /** Handler of the inbox. */
    public static final String INBOX_HANDLER = "kafka-inbox-everything";

    private static final String INBOX = "everything";
    private static final String OPERATOR = "chaos";
    private static final String BOOKING = "booking";

    @Bean
    RecordedHandlers recordedHandlers(FactWriter facts) {
        return new RecordedHandlers(facts);
    }

    @Bean
    Commands commands(OutboxOperations operations, SkewedClock clock, PoolExhaustion pool) {
        return new Commands(
                clock,
                pool,
                Map.of(
                        Commands.PAUSE_INBOX,
                        (pause) -> pauseOrResume(operations, pause == 1),
                        Commands.RESUME_INBOX,
                        (latest) -> operations.resumeInbox(
                                INBOX,
                                latest == 1 ? InboxStart.LATEST : InboxStart.EARLIEST,
                                OPERATOR,
                                "its records are gone")));
    }

    private static void pauseOrResume(OutboxOperations operations, boolean pause) {
        if (pause) {
            operations.pauseHandler(INBOX_HANDLER, OPERATOR, "the database needs rest");
        } else {
            operations.resumeHandler(INBOX_HANDLER, OPERATOR, "the database has had its rest");
        }
    }

    @Bean
    HandlerDefinition journal(RecordedHandlers recorded) {
        return recorded.recorded(HandlerDefinition.of("journal", Traffic.TYPES, (event) -> {}));
    }

    @Bean
    HandlerDefinition booking(JdbcTemplate jdbc, RecordedHandlers recorded) {
        BusinessTables tables = new BusinessTables(jdbc);
        return recorded.recorded(
                HandlerDefinition.of(BOOKING, Traffic.TYPES, (event) -> tables.book(event.eventId(), BOOKING))
                        .deduplicating());
    }
}
