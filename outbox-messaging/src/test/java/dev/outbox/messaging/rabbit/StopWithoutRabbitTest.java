package dev.outbox.messaging.rabbit;

import static org.assertj.core.api.Assertions.assertThat;

import dev.outbox.OutboxEvent;
import dev.outbox.testing.RabbitProcess;
import dev.outbox.testing.SourceTree;
import dev.outbox.testing.TcpProxy;
import java.time.Duration;
import java.util.stream.IntStream;
import org.junit.jupiter.api.Tag;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.api.condition.EnabledIf;
import org.junit.jupiter.params.ParameterizedTest;
import org.junit.jupiter.params.provider.EnumSource;

/** A stop while RabbitMQ is away takes no longer than the page of deployments says. */
@Tag("full")
class StopWithoutRabbitTest {

    private static final int LONGEST_SECONDS = 27;
    private static final int LENGTH = RabbitProcess.LARGEST_MESSAGE * 3 / 4;

    /** What happens before the stop. */
    enum Fault {
        REFUSED {
            @Override
            void begin(TcpProxy network) {
                network.refuse();
            }
        },
        SILENT {
            @Override
            void begin(TcpProxy network) {
                network.blackHole();
            }
        },
        ALARM {
            @Override
            void begin(TcpProxy network) {
                TestRabbit.BROKER.raiseMemoryAlarm();
            }

            @Override
            void end() {
                TestRabbit.BROKER.endMemoryAlarm();
            }
        };

        abstract void begin(TcpProxy network);

        void end() {}
    }

    @ParameterizedTest
    @EnumSource
    @EnabledIf(value = TestRabbit.INSTALLED, disabledReason = RabbitProcess.MISSING)
    void takesAsLongAsThePageSays(Fault fault) {
        TestRabbit.declare("stop");
        try (TcpProxy network = TcpProxy.to("localhost", TestRabbit.BROKER.port())) {
            Shop shop = Shop.startOn(network.port(), "stop.aggregate-types=Stop", "stop.exchange=stop");
            shop.publish("Stop", 10, 1);
            shop.awaitHandled("Stop", "%");
            fault.begin(network);
            try {
                shop.publish(IntStream.range(0, 200)
                        .mapToObj((number) -> Shop.event("Stop", "Stop-" + number, "x".repeat(LENGTH)))
                        .toArray(OutboxEvent[]::new));
                shop.awaitSent("rabbit-stop");

                long begun = System.nanoTime();
                shop.close();

                assertThat(Duration.ofNanos(System.nanoTime() - begun)).isLessThan(Duration.ofSeconds(LONGEST_SECONDS));
            } finally {
                fault.end();
            }
        }
    }

    @Test
    void pageSaysHowLong() {
        assertThat(SourceTree.read(SourceTree.ROOT.resolve("docs/deployment.md")))
                .contains("| RabbitMQ refuses connections, is silent, or has an alarm | at most " + LONGEST_SECONDS
                        + " |");
    }
}
