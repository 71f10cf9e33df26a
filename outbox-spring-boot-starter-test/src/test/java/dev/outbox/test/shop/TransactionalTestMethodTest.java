package dev.outbox.test.shop;

import static org.assertj.core.api.Assertions.assertThat;
import static org.assertj.core.api.Assertions.assertThatIllegalStateException;

import dev.outbox.test.OutboxTester;
import dev.outbox.test.autoconfigure.OutboxTest;
import java.time.Duration;
import org.junit.jupiter.api.Test;
import org.springframework.beans.factory.annotation.Autowired;
import org.springframework.transaction.annotation.Transactional;

@OutboxTest({Orders.class, Mail.class})
@Transactional
class TransactionalTestMethodTest {

    @Autowired
    private Orders orders;

    @Autowired
    private OutboxTester outbox;

    @Test
    void drainExplainsThatNothingIsCommitted() {
        orders.place("1", "lamp");

        assertThat(outbox).published(OrderPlaced.class).isPending();
        assertThatIllegalStateException()
                .isThrownBy(outbox::drain)
                .withMessageContaining("its events are never delivered")
                .withMessageContaining("@Transactional(propagation = Propagation.NOT_SUPPORTED)")
                .withMessageContaining("TestTransaction.flagForCommit() and TestTransaction.end()");
        assertThatIllegalStateException().isThrownBy(() -> outbox.advance(Duration.ofSeconds(1)));
    }
}
