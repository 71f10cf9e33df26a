package dev.outbox.messaging.rabbit;

import static org.assertj.core.api.Assertions.assertThat;

import dev.outbox.testing.RabbitProcess;
import dev.outbox.testing.SourceTree;
import java.util.ArrayList;
import java.util.List;
import java.util.stream.IntStream;
import java.util.stream.Stream;
import org.junit.jupiter.api.Tag;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.api.condition.EnabledIf;
import org.junit.jupiter.params.ParameterizedTest;
import org.junit.jupiter.params.provider.EnumSource;
import org.springframework.amqp.core.Message;
import org.springframework.amqp.core.QueueBuilder;

/** Each failure begins under load: no event is lost or dead, and each aggregate keeps its order. */
class RabbitFailuresTest {

    private static final int LENGTH_OF_FULL = 80;

    /** Failures whose attempts do not count. */
    enum Failure {
        UNREACHABLE("Broker or network down, credentials refused") {
            @Override
            void begin() {
                TestRabbit.BROKER.kill();
            }

            @Override
            void await(Shop shop) {
                shop.awaitFault("UNREACHABLE=all destinations: ");
            }

            @Override
            List<Message> end() {
                TestRabbit.BROKER.restart();
                return List.of();
            }
        },
        ALARM("Memory or disk alarm of the broker") {
            @Override
            void begin() {
                TestRabbit.BROKER.raiseMemoryAlarm();
            }

            @Override
            void await(Shop shop) {
                shop.awaitFault("ALARM=all destinations: RabbitMQ blocks publishers, because it is low on memory");
            }

            @Override
            List<Message> end() {
                TestRabbit.BROKER.endMemoryAlarm();
                return List.of();
            }
        },
        EXCHANGE("Exchange missing, or not permitted") {
            @Override
            void begin() {
                TestRabbit.deleteExchange(name());
            }

            @Override
            void await(Shop shop) {
                shop.awaitFault("EXCHANGE=exchange EXCHANGE: RabbitMQ refused a message to exchange EXCHANGE with");
                shop.awaitFault("NOT_FOUND - no exchange 'EXCHANGE' in vhost '/'");
            }

            @Override
            List<Message> end() {
                TestRabbit.declare(name());
                return List.of();
            }
        },
        QUEUE("No queue takes the message, because a queue or binding is missing") {
            @Override
            void begin() {
                TestRabbit.unbind(name());
            }

            @Override
            void await(Shop shop) {
                shop.awaitFault("QUEUE=exchange QUEUE with routing key {aggregateId}: no queue takes a message to"
                        + " exchange QUEUE with routing key QUEUE-");
                shop.awaitFault("NO_ROUTE (312)");
            }

            @Override
            List<Message> end() {
                List<Message> messages = TestRabbit.receive(name(), 0);
                TestRabbit.deleteQueue(name());
                TestRabbit.declare(name());
                return messages;
            }
        },
        FULL("A queue refuses the message, such as a full one with `reject-publish`") {
            @Override
            void declare() {
                TestRabbit.declareExchange(name());
                TestRabbit.bind(
                        name(),
                        QueueBuilder.durable(name())
                                .maxLength((long) LENGTH_OF_FULL)
                                .overflow(QueueBuilder.Overflow.rejectPublish)
                                .build());
            }

            /** Nothing takes messages off the queue before the end. */
            @Override
            void begin() {}

            @Override
            void await(Shop shop) {
                shop.awaitFailure("rabbit-FULL", ": a queue is full, or could not store it");
            }

            @Override
            List<Message> end() {
                return List.of();
            }
        };

        private final String row;

        Failure(String row) {
            this.row = row;
        }

        void declare() {
            TestRabbit.declare(name());
        }

        abstract void begin();

        abstract void await(Shop shop);

        /** Ends, and returns the messages that would be lost with it. */
        abstract List<Message> end();
    }

    @ParameterizedTest
    @EnumSource
    @Tag("full")
    @EnabledIf(value = TestRabbit.INSTALLED, disabledReason = RabbitProcess.MISSING)
    void losesNothingAndKeepsOrder(Failure failure) {
        String name = failure.name();
        failure.declare();
        try (Shop shop = Shop.start(name + ".aggregate-types=" + name, name + ".exchange=" + name)) {
            Traffic traffic = Traffic.start(shop, name);
            List<Message> messages = new ArrayList<>(TestRabbit.receive(name, 1));
            failure.begin();
            failure.await(shop);
            messages.addAll(failure.end());
            int published = traffic.stop();

            messages.addAll(TestRabbit.receive(name, published - TestRabbit.different(messages)));

            assertThat(TestRabbit.sequences(messages))
                    .hasSize(Traffic.AGGREGATES)
                    .allSatisfy((aggregate, sequences) -> assertThat(sequences)
                            .containsExactlyElementsOf(IntStream.rangeClosed(1, sequences.size())
                                    .boxed()
                                    .toList()));
            shop.awaitHandled(name, "%");
            assertThat(shop.deadLetters()).isZero();
            shop.awaitHealth();
        }
    }

    @Test
    void pageListsEachFailure() {
        String page = SourceTree.read(SourceTree.ROOT.resolve("docs/rabbitmq.md"));
        String table = page.substring(page.indexOf("\n## Failures"));

        assertThat(table.lines()
                        .filter((line) -> line.startsWith("| ") && line.contains("do not count"))
                        .map((line) -> line.split(" \\| ")[0].substring(2)))
                .containsExactlyElementsOf(Stream.of(Failure.values())
                        .map((failure) -> failure.row)
                        .toList());
    }
}
