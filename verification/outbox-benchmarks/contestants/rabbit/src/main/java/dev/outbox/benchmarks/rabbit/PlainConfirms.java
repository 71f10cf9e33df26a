package dev.outbox.benchmarks.rabbit;

import static java.nio.charset.StandardCharsets.UTF_8;

import dev.outbox.benchmarks.baseline.PlainLoop;
import dev.outbox.benchmarks.worker.Setup;
import java.time.Instant;
import java.util.Date;
import java.util.List;
import java.util.Map;
import org.springframework.amqp.core.Message;
import org.springframework.amqp.core.MessageDeliveryMode;
import org.springframework.amqp.core.MessageProperties;
import org.springframework.amqp.rabbit.connection.CorrelationData;
import org.springframework.amqp.rabbit.core.RabbitTemplate;
import org.springframework.boot.amqp.autoconfigure.RabbitAutoConfiguration;
import org.springframework.boot.autoconfigure.ImportAutoConfiguration;
import org.springframework.boot.jdbc.autoconfigure.DataSourceAutoConfiguration;
import org.springframework.boot.jdbc.autoconfigure.DataSourceTransactionManagerAutoConfiguration;
import org.springframework.boot.jdbc.autoconfigure.JdbcTemplateAutoConfiguration;
import org.springframework.context.annotation.Configuration;

/** Template with correlated publisher confirms and returns, on one channel. It sends a batch before it waits for the batch before. */
public final class PlainConfirms extends PlainLoop {

    static final String EXCHANGE = "events";

    private final RabbitTemplate template;
    private final List<Outgoing> messages;

    /** Reads the messages. */
    public PlainConfirms(Setup setup) {
        super(
                setup,
                Broker.class,
                Map.of(
                        "spring.rabbitmq.publisher-confirm-type", "correlated",
                        "spring.rabbitmq.publisher-returns", "true"));
        this.template = bean(RabbitTemplate.class);
        this.messages = messages(PlainConfirms::message);
    }

    /** Message with what becomes of it. */
    private record Outgoing(String account, Message message, CorrelationData confirmation) {}

    private static Outgoing message(Stored event) {
        MessageProperties properties = new MessageProperties();
        properties.setDeliveryMode(MessageDeliveryMode.PERSISTENT);
        properties.setMessageId(event.id());
        properties.setType("AccountChanged");
        properties.setTimestamp(Date.from(Instant.EPOCH));
        properties.setContentType("application/json");
        properties.setContentEncoding(UTF_8.name());
        event.headers().forEach(properties::setHeader);
        return new Outgoing(
                event.account(),
                new Message(event.payload().getBytes(UTF_8), properties),
                new CorrelationData(event.id()));
    }

    @Override
    protected void send() {
        template.invoke((channel) -> {
            List<Outgoing> before = List.of();
            for (int from = 0; from < messages.size(); from += BATCH) {
                List<Outgoing> batch = messages.subList(from, Math.min(messages.size(), from + BATCH));
                batch.forEach((one) -> channel.send(EXCHANGE, one.account(), one.message(), one.confirmation()));
                before.forEach(PlainConfirms::await);
                before = batch;
            }
            before.forEach(PlainConfirms::await);
            return messages.size();
        });
    }

    private static void await(Outgoing sent) {
        if (!sent.confirmation().getFuture().join().ack() || sent.confirmation().getReturned() != null) {
            throw new IllegalStateException("not in a queue: " + sent.message());
        }
    }

    @Configuration(proxyBeanMethods = false)
    @ImportAutoConfiguration({
        DataSourceAutoConfiguration.class,
        DataSourceTransactionManagerAutoConfiguration.class,
        JdbcTemplateAutoConfiguration.class,
        RabbitAutoConfiguration.class
    })
    static class Broker {}
}
