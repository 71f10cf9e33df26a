package dev.outbox.chaos.process;

import static java.util.Map.entry;

import dev.outbox.chaos.history.FactWriter;
import dev.outbox.operations.OutboxOperations;
import dev.outbox.operations.Replays;
import dev.outbox.operations.ScheduledEvents;
import java.time.Duration;
import java.util.Map;
import java.util.function.Consumer;
import org.springframework.boot.autoconfigure.condition.ConditionalOnProperty;
import org.springframework.context.annotation.Bean;
import org.springframework.context.annotation.Configuration;
import org.springframework.core.env.Environment;
import org.springframework.jdbc.core.JdbcTemplate;

/** Process that publishes and in which operators work. It handles nothing. */
@Configuration(proxyBeanMethods = false)
@ConditionalOnProperty(name = ChaosProcess.ROLE, havingValue = "publisher")
class PublishingProcess {

    /** Its seed is another one than that of the traffic, which would give events the same ids. */
    @Bean
    OverlappingWriters overlappingWriters(Publisher publisher, Environment environment) {
        long seed = environment.getRequiredProperty(ChaosProcess.SEED, Long.class) + 1;
        return new OverlappingWriters(publisher, new Traffic(seed, Traffic.COLD_AGGREGATES, false));
    }

    @Bean
    Publishing publishing(Publisher publisher, Traffic traffic) {
        return new Publishing(publisher, traffic);
    }

    @Bean
    Operator operator(
            OutboxOperations operations,
            Replays replays,
            ScheduledEvents scheduled,
            JdbcTemplate jdbc,
            FactWriter facts) {
        return new Operator(operations, replays, scheduled, jdbc, facts);
    }

    @Bean
    Commands commands(
            Publishing publishing,
            OverlappingWriters writers,
            Operator operator,
            SkewedClock clock,
            PoolExhaustion pool) {
        return new Commands(
                clock,
                pool,
                Map.ofEntries(
                        entry(Commands.RATE, publishing::atRate),
                        entry(Commands.OVERLAP, (millis) -> writers.write(Duration.ofMillis(millis))),
                        entry(Commands.PAUSE, operator::pauseOrResume),
                        command(Commands.SKIP_DELAYED, operator::skipDelayed),
                        command(Commands.RETRY, operator::retry),
                        command(Commands.SKIP, operator::skip),
                        command(Commands.REPLAY, operator::replay),
                        command(Commands.ERASE, operator::erase),
                        command(Commands.RESCHEDULE, operator::reschedule)));
    }

    private static Map.Entry<String, Consumer<Long>> command(String name, Consumer<Long> action) {
        return entry(name, (limit) -> Commands.inBackground("operator", () -> action.accept(limit)));
    }
}
