package dev.outbox.messaging.internal.rabbit;

import static java.nio.charset.StandardCharsets.UTF_8;
import static org.assertj.core.api.Assertions.assertThat;
import static org.awaitility.Awaitility.await;

import dev.outbox.forwarding.internal.Fault;
import dev.outbox.forwarding.internal.Fault.Scope;
import dev.outbox.messaging.rabbit.TestRabbit;
import dev.outbox.testing.RabbitProcess;
import dev.outbox.testing.TcpProxy;
import java.time.Duration;
import java.util.ArrayList;
import java.util.List;
import java.util.concurrent.CompletableFuture;
import java.util.concurrent.TimeUnit;
import java.util.concurrent.atomic.AtomicInteger;
import org.junit.jupiter.api.AfterEach;
import org.junit.jupiter.api.BeforeEach;
import org.junit.jupiter.api.Tag;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.api.condition.EnabledIf;
import org.springframework.amqp.core.Message;
import org.springframework.amqp.rabbit.connection.CachingConnectionFactory;
import org.springframework.amqp.rabbit.connection.CachingConnectionFactory.ConfirmType;
import org.springframework.amqp.rabbit.connection.Connection;
import org.springframework.amqp.rabbit.core.RabbitTemplate;

@Tag("full")
@EnabledIf(value = TestRabbit.INSTALLED, disabledReason = RabbitProcess.MISSING)
class RabbitTargetTest {

    private final RabbitMessage message = message("target");
    private final List<Connection> opened = new ArrayList<>();
    private final CachingConnectionFactory connections =
            new CachingConnectionFactory("localhost", TestRabbit.BROKER.port());
    private RabbitTarget target;

    @BeforeEach
    void connect() {
        TestRabbit.declare("target");
        connections.setPublisherConfirmType(ConfirmType.CORRELATED);
        connections.setPublisherReturns(true);
        connections.addConnectionListener(opened::add);
        target = new RabbitTarget(new RabbitTemplate(connections));
    }

    @AfterEach
    void disconnect() {
        connections.destroy();
    }

    @Test
    void replacementIsAnotherConnection() throws Exception {
        send().get(10, TimeUnit.SECONDS);
        target.replace();
        send().get(10, TimeUnit.SECONDS);

        assertThat(opened).hasSize(2);
    }

    @Test
    void replacementEndsAWriteThatTheBrokerDoesNotTake() throws Exception {
        RabbitMessage large = new RabbitMessage(
                "target", "key", "target with key", new Message(new byte[RabbitProcess.LARGEST_MESSAGE]));
        AtomicInteger written = new AtomicInteger();
        AtomicInteger seen = new AtomicInteger();
        try (TcpProxy network = TcpProxy.to("localhost", TestRabbit.BROKER.port())) {
            connections.setPort(network.port());
            send().get(10, TimeUnit.SECONDS);
            network.blackHole();
            CompletableFuture<Void> writes = CompletableFuture.runAsync(() -> {
                while (target.send(large) != null) {
                    written.incrementAndGet();
                }
            });
            await().pollInterval(Duration.ofMillis(500)).until(() -> seen.getAndSet(written.get()) == written.get());

            assertThat(CompletableFuture.runAsync(target::replace)).succeedsWithin(Duration.ofSeconds(10));
            assertThat(writes).failsWithin(Duration.ofSeconds(10));
            network.heal();
            send().get(10, TimeUnit.SECONDS);
        }
    }

    @Test
    void connectionThatAnAlarmBlocksIsNotReplaced() throws Exception {
        send().get(10, TimeUnit.SECONDS);
        TestRabbit.BROKER.raiseMemoryAlarm();
        try {
            CompletableFuture<?> blocked = send();
            await().until(this::isBlocked);
            target.replace();
            TestRabbit.BROKER.endMemoryAlarm();

            blocked.get(10, TimeUnit.SECONDS);
            await().until(() -> !isBlocked());
            assertThat(opened).hasSize(1);
        } finally {
            TestRabbit.BROKER.endMemoryAlarm();
        }
    }

    @Test
    void refusedCredentialsStopAllRoutes() {
        connections.setPassword("wrong");

        assertThat(fault(message)).satisfies((fault) -> {
            assertThat(fault.scope()).isEqualTo(Scope.CONNECTION);
            assertThat(fault.cause())
                    .hasMessageContaining("cannot open a channel for exchange target", "ACCESS_REFUSED");
        });
    }

    @Test
    void missingVirtualHostIsNamed() {
        connections.setVirtualHost("shop");

        assertThat(fault(message).cause())
                .hasMessage("cannot open a channel for exchange target: NOT_ALLOWED - vhost shop not found");
    }

    @Test
    void exchangeThatIsNotPermittedStopsItself() {
        TestRabbit.declareInternal("internal");

        assertThat(fault(message("internal"))).satisfies((fault) -> {
            assertThat(fault.scope()).isEqualTo(Scope.DESTINATION);
            assertThat(fault.cause()).hasMessageContaining("ACCESS_REFUSED - cannot publish to internal exchange");
        });
    }

    private Fault fault(RabbitMessage refused) {
        try {
            target.send(refused).toCompletableFuture().join();
            throw new AssertionError("the broker has confirmed the message");
        } catch (RuntimeException ex) {
            return target.classify(refused, ex);
        }
    }

    private CompletableFuture<?> send() {
        return target.send(message).toCompletableFuture();
    }

    private static RabbitMessage message(String exchange) {
        return new RabbitMessage(exchange, "key", exchange + " with key", new Message("text".getBytes(UTF_8)));
    }

    private boolean isBlocked() {
        try {
            return !target.unit(message).equals(message.unit());
        } catch (RuntimeException ex) {
            return target.classify(message, ex)
                    .cause()
                    .getMessage()
                    .equals("RabbitMQ blocks publishers, because it is low on memory");
        }
    }
}
