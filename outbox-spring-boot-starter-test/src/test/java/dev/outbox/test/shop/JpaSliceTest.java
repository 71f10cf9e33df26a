package dev.outbox.test.shop;

import static org.assertj.core.api.Assertions.assertThat;
import static org.assertj.core.api.Assertions.assertThatIllegalStateException;

import dev.outbox.test.OutboxTester;
import dev.outbox.test.autoconfigure.AutoConfigureOutbox;
import org.junit.jupiter.api.Test;
import org.springframework.beans.factory.annotation.Autowired;
import org.springframework.boot.data.jpa.test.autoconfigure.DataJpaTest;
import org.springframework.context.annotation.Import;
import org.springframework.test.context.transaction.TestTransaction;

@DataJpaTest
@AutoConfigureOutbox
@Import(Registration.class)
class JpaSliceTest {

    @Autowired
    private Registration registration;

    @Autowired
    private Customers customers;

    @Autowired
    private OutboxTester outbox;

    @Test
    void handlersSeeWhatTheTestCommitted() {
        registration.register("ann");
        assertThat(outbox).published(CustomerRegistered.class).isPending();
        TestTransaction.flagForCommit();
        TestTransaction.end();

        outbox.drain();

        assertThat(outbox).published(CustomerRegistered.class).handledBy("greeting");
        assertThat(customers.findById("ann").orElseThrow().isGreeted()).isTrue();
        customers.deleteAll();
    }

    @Test
    void drainExplainsTheTransactionOfTheSlice() {
        registration.register("bob");

        assertThatIllegalStateException().isThrownBy(outbox::drain).withMessageContaining("@DataJpaTest");
    }
}
