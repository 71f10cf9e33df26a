package dev.outbox.messaging;

import static org.assertj.core.api.Assertions.assertThat;
import static org.awaitility.Awaitility.await;

import dev.outbox.OutboxEvent;
import dev.outbox.OutboxPublisher;
import dev.outbox.spring.internal.HealthDetails;
import dev.outbox.testing.TestDatabase;
import dev.outbox.testing.TestPostgres;
import java.time.Duration;
import java.util.ArrayList;
import java.util.List;
import java.util.Map;
import java.util.concurrent.ConcurrentHashMap;
import java.util.concurrent.CopyOnWriteArrayList;
import java.util.concurrent.CountDownLatch;
import java.util.concurrent.TimeUnit;
import java.util.stream.Collectors;
import org.junit.jupiter.api.AfterAll;
import org.junit.jupiter.api.BeforeAll;
import org.junit.jupiter.api.Test;
import org.springframework.boot.SpringBootConfiguration;
import org.springframework.boot.WebApplicationType;
import org.springframework.boot.autoconfigure.EnableAutoConfiguration;
import org.springframework.boot.builder.SpringApplicationBuilder;
import org.springframework.context.ConfigurableApplicationContext;
import org.springframework.context.annotation.Bean;
import org.springframework.integration.channel.PublishSubscribeChannel;
import org.springframework.jdbc.core.simple.JdbcClient;
import org.springframework.messaging.Message;
import org.springframework.messaging.MessageChannel;
import org.springframework.messaging.MessageHandlingException;
import org.springframework.messaging.converter.MessageConversionException;
import org.springframework.messaging.support.ErrorMessage;
import org.springframework.transaction.support.TransactionTemplate;

/** What each failure of a channel does to the events of a route. */
class ChannelRoutesTest {

    private static final Duration DEADLINE = Duration.ofSeconds(30);

    private static final List<String> ROUTES =
            List.of("converting", "refusing", "blocking", "late", "reporting", "losing");

    private static final CountDownLatch UNBLOCKED = new CountDownLatch(1);

    private static TestDatabase database;
    private static ConfigurableApplicationContext application;

    /** Channel that does what a test says with each message of an aggregate. */
    private static final class ScriptedChannel implements MessageChannel {

        private final Map<String, MessageChannel> scripts = new ConcurrentHashMap<>();
        private final Map<String, List<Message<?>>> sent = new ConcurrentHashMap<>();

        @Override
        public boolean send(Message<?> message, long timeout) {
            String aggregate = (String) message.getHeaders().get("ce_subject");
            sent(aggregate).add(message);
            return scripts.getOrDefault(aggregate, (any, atMost) -> true).send(message, timeout);
        }

        List<Message<?>> sent(String aggregate) {
            return sent.computeIfAbsent(aggregate, (unknown) -> new CopyOnWriteArrayList<>());
        }
    }

    @SpringBootConfiguration
    @EnableAutoConfiguration
    static class Shop {

        @Bean
        ScriptedChannel converting() {
            return new ScriptedChannel();
        }

        @Bean
        ScriptedChannel refusing() {
            return new ScriptedChannel();
        }

        @Bean
        ScriptedChannel blocking() {
            return new ScriptedChannel();
        }

        @Bean
        ScriptedChannel late() {
            return new ScriptedChannel();
        }

        @Bean
        ScriptedChannel reporting() {
            return new ScriptedChannel();
        }

        @Bean
        ScriptedChannel losing() {
            return new ScriptedChannel();
        }

        @Bean
        PublishSubscribeChannel reports() {
            return new PublishSubscribeChannel();
        }
    }

    @BeforeAll
    static void start() {
        database = TestPostgres.shared().newDatabase();
        List<String> properties = new ArrayList<>(List.of(
                "--spring.application.name=shop",
                "--spring.datasource.url=" + database.jdbcUrl(),
                "--spring.datasource.username=" + database.username(),
                "--spring.datasource.password=" + database.password(),
                "--outbox.retry.max-attempts=2",
                "--outbox.retry.delays=100ms",
                "--outbox.forwarding.source=/shop"));
        for (String name : ROUTES) {
            String route = "--outbox.channel.routes." + name;
            boolean synchronous = List.of("converting", "refusing", "blocking").contains(name);
            properties.addAll(List.of(route + ".aggregate-types=" + name, route + ".channel=" + name));
            properties.addAll(
                    synchronous
                            ? List.of(route + ".confirmation=synchronous")
                            : List.of(
                                    route + ".confirmation=acknowledgement",
                                    route + ".acknowledgements=reports",
                                    route + ".acknowledgement-timeout=" + (name.equals("losing") ? "2s" : "1m")));
        }
        application = new SpringApplicationBuilder(Shop.class)
                .web(WebApplicationType.NONE)
                .run(properties.toArray(String[]::new));
        script();
        ROUTES.forEach((name) -> publish(name, name));
        publish("converting", "good");
    }

    private static void script() {
        channel("converting").scripts.put("converting", (message, timeout) -> {
            throw new MessageHandlingException(message, new MessageConversionException("no schema"));
        });
        List<Message<?>> refused = channel("refusing").sent("refusing");
        channel("refusing").scripts.put("refusing", (message, timeout) -> refused.size() > 2);
        channel("blocking").scripts.put("blocking", (message, timeout) -> isUnblocked());
        List<Message<?>> failed = channel("reporting").sent("reporting");
        channel("reporting")
                .scripts
                .put(
                        "reporting",
                        (message, timeout) -> report(
                                failed.size() == 1
                                        ? new ErrorMessage(new MessageHandlingException(
                                                message, new IllegalStateException("no leader")))
                                        : message));
        List<Message<?>> lost = channel("losing").sent("losing");
        channel("losing").scripts.put("losing", (message, timeout) -> lost.size() == 1 || report(message));
    }

    @AfterAll
    static void stop() {
        application.close();
        database.close();
    }

    @Test
    void messageThatCannotBeConvertedIsADeadLetterAfterItsAttempts() {
        awaitStatus("converting", "DEAD");
        awaitStatus("good", "PUBLISHED");
        assertThat(channel("converting").sent("converting")).hasSizeGreaterThanOrEqualTo(2);
    }

    @Test
    void channelThatReturnsFalseMakesEventsWaitUncounted() {
        await().atMost(DEADLINE)
                .untilAsserted(
                        () -> assertThat(failures())
                                .contains(
                                        "refusing: Channel refusing did not deliver the message: its send method returned false"));
        awaitStatus("refusing", "PUBLISHED");
        assertThat(channel("refusing").sent("refusing"))
                .as("more than max-attempts")
                .hasSize(3);
    }

    @Test
    void channelThatBlocksHoldsUpNoOtherAndGetsNoSecondMessage() {
        await().atMost(DEADLINE).untilAsserted(() -> assertThat(failures()).contains("blocking: it does not answer"));
        awaitStatus("good", "PUBLISHED");

        UNBLOCKED.countDown();

        awaitStatus("blocking", "PUBLISHED");
        assertThat(channel("blocking").sent("blocking")).hasSize(1);
    }

    @Test
    void acknowledgementThatComesLateIsFoundWithoutASecondMessage() {
        awaitStatus("late", "RETRYING");

        report(channel("late").sent("late").get(0));

        awaitStatus("late", "PUBLISHED");
        assertThat(channel("late").sent("late")).hasSize(1);
    }

    @Test
    void failureThatIsReportedMakesEventsWaitAndIsRepeated() {
        awaitStatus("reporting", "PUBLISHED");
        assertThat(channel("reporting").sent("reporting")).hasSize(2);
    }

    @Test
    void messageWithoutAcknowledgementIsSentAgain() {
        awaitStatus("losing", "PUBLISHED");
        assertThat(channel("losing").sent("losing")).hasSize(2);
    }

    private static boolean isUnblocked() {
        try {
            return UNBLOCKED.await(DEADLINE.toSeconds(), TimeUnit.SECONDS);
        } catch (InterruptedException ex) {
            throw new IllegalStateException(ex);
        }
    }

    private static boolean report(Message<?> message) {
        return application.getBean("reports", MessageChannel.class).send(message);
    }

    private static String failures() {
        return application.getBeansOfType(HealthDetails.class).values().stream()
                .map((details) -> details.get().toString())
                .collect(Collectors.joining());
    }

    private static ScriptedChannel channel(String name) {
        return application.getBean(name, ScriptedChannel.class);
    }

    private static void publish(String aggregateType, String aggregateId) {
        application
                .getBean(TransactionTemplate.class)
                .executeWithoutResult((status) -> application
                        .getBean(OutboxPublisher.class)
                        .publish(OutboxEvent.of(aggregateType, aggregateId, Map.of())
                                .withEventType("Happened")));
    }

    private static void awaitStatus(String aggregateId, String status) {
        await().atMost(DEADLINE)
                .untilAsserted(() -> assertThat(application
                                .getBean(JdbcClient.class)
                                .sql("SELECT status FROM events.outbox WHERE aggregate_id = ?")
                                .param(aggregateId)
                                .query(String.class)
                                .single())
                        .isEqualTo(status));
    }
}
