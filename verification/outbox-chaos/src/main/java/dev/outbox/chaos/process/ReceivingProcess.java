package dev.outbox.chaos.process;

import dev.outbox.HandlerDefinition;
import dev.outbox.chaos.history.FactWriter;
import org.springframework.boot.autoconfigure.condition.ConditionalOnProperty;
import org.springframework.context.annotation.Bean;
import org.springframework.context.annotation.Configuration;
import org.springframework.jdbc.core.JdbcTemplate;

/** Process that receives events from Kafka and handles all of them, with and without deduplication. */
@Configuration(proxyBeanMethods = false)
@ConditionalOnProperty(name = ChaosProcess.ROLE, havingValue = "receiver")
class ReceivingProcess {

    private static final String BOOKING = "booking";

    @Bean
    RecordedHandlers recordedHandlers(FactWriter facts) {
        return new RecordedHandlers(facts);
    }

    @Bean
    Commands commands(SkewedClock clock, PoolExhaustion pool) {
        return Commands.ofWorker(clock, pool);
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
