package dev.outbox.messaging.rabbit;

import static org.awaitility.Awaitility.await;

import dev.outbox.testing.RabbitProcess;
import java.time.Duration;
import java.util.ArrayList;
import java.util.HashSet;
import java.util.List;
import java.util.Map;
import java.util.Set;
import java.util.stream.Collectors;
import org.springframework.amqp.core.Binding;
import org.springframework.amqp.core.Exchange;
import org.springframework.amqp.core.ExchangeBuilder;
import org.springframework.amqp.core.Message;
import org.springframework.amqp.core.Queue;
import org.springframework.amqp.core.QueueBuilder;
import org.springframework.amqp.rabbit.connection.CachingConnectionFactory;
import org.springframework.amqp.rabbit.core.RabbitAdmin;
import org.springframework.amqp.rabbit.core.RabbitTemplate;

/** The one broker of this JVM, started by the first call, and a client that has nothing to do with the outbox. */
public final class TestRabbit {

    public static final String INSTALLED = "dev.outbox.testing.RabbitProcess#isInstalled";

    public static final RabbitProcess BROKER = start();

    private static final Duration DEADLINE = Duration.ofSeconds(60);
    private static final Duration BETWEEN_LOOKS = Duration.ofMillis(50);
    private static final CachingConnectionFactory CONNECTIONS =
            new CachingConnectionFactory("localhost", BROKER.port());
    private static final RabbitAdmin ADMIN = new RabbitAdmin(CONNECTIONS);

    private TestRabbit() {}

    private static RabbitProcess start() {
        RabbitProcess started = RabbitProcess.start();
        Runtime.getRuntime().addShutdownHook(new Thread(started::close, "test-rabbit-stop"));
        return started;
    }

    static RabbitTemplate template() {
        return new RabbitTemplate(CONNECTIONS);
    }

    /** Declares an exchange that sends each message to its only queue, which has the same name. */
    public static void declare(String name) {
        declareExchange(name);
        bind(name, QueueBuilder.durable(name).build());
    }

    /** Declares an exchange that only other exchanges may send to. */
    public static void declareInternal(String name) {
        ADMIN.declareExchange(ExchangeBuilder.topicExchange(name).internal().build());
    }

    static void declareExchange(String name) {
        ADMIN.declareExchange(ExchangeBuilder.topicExchange(name).build());
    }

    static void bind(String exchange, Queue queue) {
        ADMIN.declareQueue(queue);
        ADMIN.declareBinding(binding(exchange, queue.getName(), "#"));
    }

    private static Binding binding(String exchange, String queue, String routingKey) {
        return new Binding(queue, Binding.DestinationType.QUEUE, exchange, routingKey, Map.of());
    }

    /** Declares an exchange that distributes its routing keys over queues, whose names it returns. */
    static List<String> declareHash(String name, int count) {
        Exchange exchange = new ExchangeBuilder(name, "x-consistent-hash").build();
        ADMIN.declareExchange(exchange);
        List<String> queues = new ArrayList<>();
        for (int number = 0; number < count; number++) {
            Queue queue = QueueBuilder.durable(name + "-" + number)
                    .singleActiveConsumer()
                    .build();
            ADMIN.declareQueue(queue);
            ADMIN.declareBinding(binding(name, queue.getName(), "1"));
            queues.add(queue.getName());
        }
        return queues;
    }

    static void deleteExchange(String name) {
        ADMIN.deleteExchange(name);
    }

    /** Removes the binding of {@link #declare}. */
    static void unbind(String name) {
        ADMIN.removeBinding(binding(name, name, "#"));
    }

    static void deleteQueue(String name) {
        ADMIN.deleteQueue(name);
    }

    /** Takes messages off queues until they had that many different ones; fails after a minute. */
    static List<Message> receive(List<String> queues, int different) {
        List<Message> messages = new ArrayList<>();
        await().pollDelay(Duration.ZERO)
                .pollInterval(BETWEEN_LOOKS)
                .atMost(DEADLINE)
                .until(
                        () -> {
                            queues.forEach((queue) -> take(queue, messages));
                            return different(messages);
                        },
                        (count) -> count >= different);
        return messages;
    }

    /** Asks for one message at a time: a consumer, which a wait needs, fails if the broker is slow to tell that it has begun. */
    private static void take(String queue, List<Message> messages) {
        RabbitTemplate template = template();
        Message message = template.receive(queue);
        while (message != null) {
            messages.add(message);
            message = template.receive(queue);
        }
    }

    public static List<Message> receive(String queue, int different) {
        return receive(List.of(queue), different);
    }

    static int different(List<Message> messages) {
        return (int) messages.stream()
                .map((message) -> message.getMessageProperties().getMessageId())
                .distinct()
                .count();
    }

    /** Returns the sequences of each aggregate in the order of first occurrences. */
    static Map<String, List<Integer>> sequences(List<Message> messages) {
        Set<String> ids = new HashSet<>();
        return messages.stream()
                .filter((message) -> ids.add(message.getMessageProperties().getMessageId()))
                .collect(Collectors.groupingBy(
                        (message) -> message.getMessageProperties().getHeader("ce_subject"),
                        Collectors.mapping(
                                (message) -> Integer.valueOf(
                                        message.getMessageProperties().<String>getHeader("ce_sequence")),
                                Collectors.toList())));
    }
}
