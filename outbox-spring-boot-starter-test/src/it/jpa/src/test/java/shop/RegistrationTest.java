package shop;

import static org.assertj.core.api.Assertions.assertThat;

import dev.outbox.test.OutboxTester;
import dev.outbox.test.autoconfigure.AutoConfigureOutbox;
import org.junit.jupiter.api.Test;
import org.springframework.beans.factory.annotation.Autowired;
import org.springframework.boot.test.context.SpringBootTest;

@SpringBootTest
@AutoConfigureOutbox
class RegistrationTest {

    @Test
    void customerIsGreeted(@Autowired Registration registration, @Autowired Customers customers, @Autowired OutboxTester outbox) {
        Customer ann = new Customer();
        ann.name = "Ann";
        registration.register(ann);
        outbox.drain();
        assertThat(outbox).published(CustomerRegistered.class).handledBy("greeting");
        assertThat(customers.findById("Ann").orElseThrow().greeted).isTrue();
    }
}
