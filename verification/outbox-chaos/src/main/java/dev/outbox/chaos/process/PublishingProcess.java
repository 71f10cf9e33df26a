package dev.outbox.chaos.process;

import static java.util.Map.entry;

import dev.outbox.OutboxPublisher;
import dev.outbox.chaos.history.FactWriter;
import dev.outbox.operations.OutboxOperations;
import dev.outbox.operations.Replays;
import dev.outbox.operations.ScheduledEvents;
import java.time.Duration;
import java.util.Map;
import java.util.function.Consumer;
import org.springframework.boot.autoconfigure.condition.ConditionalOnProperty;
import org.springframework.context.SmartLifecycle;
import org.springframework.context.annotation.Bean;
import org.springframework.context.annotation.Configuration;
import org.springframework.core.env.Environment;
import org.springframework.jdbc.core.JdbcTemplate;
import org.springframework.transaction.PlatformTransactionManager;
import tools.jackson.databind.json.JsonMapper;

/** Process that publishes and in which operators work. It handles nothing. */
@Configuration(proxyBeanMethods = false)
@ConditionalOnProperty(name = ChaosProcess.ROLE, havingValue = "publisher")
class PublishingProcess {

    @Bean
    Publisher publisher(
            OutboxPublisher outbox,
            PlatformTransactionManager transactions,
            JdbcTemplate jdbc,
            FactWriter facts,
            JsonMapper mapper,
            Environment environment) {
        Traffic traffic = new Traffic(
                environment.getRequiredProperty(ChaosProcess.SEED, Long.class),
                environment.getProperty(ChaosProcess.AGGREGATES, Integer.class, Traffic.COLD_AGGREGATES),
                environment.getProperty(ChaosProcess.TRANSACTION, Integer.class, Traffic.LARGEST_TRANSACTION),
                environment.getProperty(ChaosProcess.SCHEDULES, Boolean.class, true),
                mapper);
        return new Publisher(outbox, transactions, jdbc, facts, facts.process(), traffic);
    }

    @Bean
    OverlappingWriters overlappingWriters(
            OutboxPublisher outbox,
            PlatformTransactionManager transactions,
            JdbcTemplate jdbc,
            FactWriter facts,
            JsonMapper mapper,
            Environment environment) {
        long seed = environment.getRequiredProperty(ChaosProcess.SEED, Long.class);
        return new OverlappingWriters((name) -> new Publisher(
                outbox,
                transactions,
                jdbc,
                facts,
                facts.process() + "-" + name,
                new Traffic(seed + name.hashCode(), Traffic.COLD_AGGREGATES, false, mapper)));
    }

    @Bean
    SmartLifecycle publishing(Publisher publisher) {
        return new Publishing(publisher);
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
            Publisher publisher,
            OverlappingWriters writers,
            Operator operator,
            SkewedClock clock,
            PoolExhaustion pool) {
        return new Commands(Map.ofEntries(
                entry(Commands.RATE, publisher::atRate),
                entry(Commands.OVERLAP, (millis) -> writers.write(Duration.ofMillis(millis))),
                entry(Commands.PAUSE, operator::pauseOrResume),
                command(Commands.SKIP_DELAYED, operator::skipDelayed),
                command(Commands.RETRY, operator::retry),
                command(Commands.SKIP, operator::skip),
                command(Commands.REPLAY, operator::replay),
                command(Commands.ERASE, operator::erase),
                command(Commands.RESCHEDULE, operator::reschedule),
                entry(Commands.SKEW, clock::skewBySeconds),
                entry(
                        Commands.EXHAUST,
                        (millis) ->
                                Commands.inBackground("exhaustion", () -> pool.exhaust(Duration.ofMillis(millis))))));
    }

    private static Map.Entry<String, Consumer<Long>> command(String name, Consumer<Long> action) {
        return entry(name, (limit) -> Commands.inBackground("operator", () -> action.accept(limit)));
    }
}
