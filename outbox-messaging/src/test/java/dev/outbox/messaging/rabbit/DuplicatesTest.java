package dev.outbox.messaging.rabbit;

import static org.assertj.core.api.Assertions.assertThat;
import static org.awaitility.Awaitility.await;

import dev.outbox.testing.RabbitProcess;
import java.util.ArrayList;
import java.util.Collections;
import java.util.List;
import java.util.UUID;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.api.condition.EnabledIf;
import org.springframework.amqp.core.Message;
import org.springframework.amqp.core.MessageProperties;
import org.springframework.amqp.rabbit.annotation.RabbitListener;
import org.springframework.amqp.rabbit.core.RabbitTemplate;
import org.springframework.context.annotation.Bean;
import org.springframework.jdbc.core.simple.JdbcClient;
import org.springframework.transaction.annotation.Transactional;

/** A consumer that drops repeated messages. */
@EnabledIf(value = TestRabbit.INSTALLED, disabledReason = RabbitProcess.MISSING)
class DuplicatesTest {

    static class Billing {

        private final JdbcClient sql;
        private final List<String> bills = Collections.synchronizedList(new ArrayList<>());

        Billing(JdbcClient sql) {
            this.sql = sql;
            sql.sql("CREATE TABLE received_message (id uuid PRIMARY KEY)").update();
        }

        @RabbitListener(queues = "billing")
        @Transactional
        void on(Message message) {
            MessageProperties properties = message.getMessageProperties();
            int stored = sql.sql("INSERT INTO received_message (id) VALUES (?) ON CONFLICT DO NOTHING")
                    .param(UUID.fromString(properties.getMessageId()))
                    .update();
            if (stored == 1) {
                bills.add(properties.getHeader("ce_subject"));
            }
        }

        List<String> bills() {
            return bills;
        }
    }

    static class Consumer {

        @Bean
        Billing billing(JdbcClient sql) {
            return new Billing(sql);
        }
    }

    @Test
    void repeatedMessageHasOneEffect() {
        TestRabbit.declare("billing");
        TestRabbit.declare("copies");
        try (Shop shop = Shop.start("billing.aggregate-types=Bill", "billing.exchange=copies")) {
            shop.publish(Shop.event("Bill", "1", "text"), Shop.event("Bill", "2", "text"));
            List<Message> messages = TestRabbit.receive("copies", 2);
            RabbitTemplate template = TestRabbit.template();
            for (Message message : List.of(messages.get(0), messages.get(0), messages.get(1))) {
                template.send("billing", "", message);
            }
            try (Shop receiver = Shop.startWith(Consumer.class)) {
                Billing billing = receiver.bean(Billing.class);
                await().until(() -> billing.bills().contains("2"));
                assertThat(billing.bills()).containsExactly("1", "2");
            }
        }
    }
}
