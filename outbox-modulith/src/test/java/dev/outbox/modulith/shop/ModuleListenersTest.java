package dev.outbox.modulith.shop;

import static org.assertj.core.api.Assertions.assertThat;
import static org.assertj.core.api.Assertions.assertThatThrownBy;
import static org.awaitility.Awaitility.await;

import dev.outbox.InvalidEventException;
import dev.outbox.InvalidTransactionException;
import dev.outbox.OutboxEvent;
import dev.outbox.modulith.shop.Shop.Complaint;
import dev.outbox.modulith.shop.Shop.LeafletPrinted;
import dev.outbox.modulith.shop.Shop.LoudComplaint;
import dev.outbox.modulith.shop.Shop.Mail;
import dev.outbox.modulith.shop.Shop.OrderPlaced;
import dev.outbox.modulith.shop.Shop.Orders;
import dev.outbox.modulith.shop.Shop.ParcelSent;
import dev.outbox.modulith.shop.Shop.ShopClosed;
import dev.outbox.modulith.shop.Shop.ShopOpened;
import dev.outbox.modulith.shop.Shop.StockCounted;
import dev.outbox.test.OutboxTester;
import dev.outbox.test.autoconfigure.AutoConfigureOutbox;
import java.net.URL;
import java.time.Duration;
import java.util.List;
import org.junit.jupiter.api.BeforeEach;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.api.extension.ExtendWith;
import org.springframework.beans.factory.annotation.Autowired;
import org.springframework.boot.test.context.SpringBootTest;
import org.springframework.boot.test.system.CapturedOutput;
import org.springframework.boot.test.system.OutputCaptureExtension;
import org.springframework.context.ApplicationEventPublisher;
import org.springframework.jdbc.core.simple.JdbcClient;
import org.springframework.modulith.events.ApplicationModuleListener;

/** Spring Modulith's listeners as handlers, with its event publication registry beside the outbox. */
@SpringBootTest(
        properties = {
            "outbox.modulith.listeners=true",
            "outbox.retry.delays=1m",
            "spring.modulith.events.jdbc.schema-initialization.enabled=true"
        })
@AutoConfigureOutbox
@ExtendWith(OutputCaptureExtension.class)
class ModuleListenersTest {

    @Autowired
    private Orders orders;

    @Autowired
    private JdbcClient jdbc;

    @Autowired
    private ApplicationEventPublisher events;

    @Autowired
    private OutboxTester outbox;

    @BeforeEach
    void reset() {
        Mail.RECEIVED.clear();
        Mail.THREADS.clear();
        Mail.failing = false;
        jdbc.sql("TRUNCATE letter, event_publication").update();
        Shop.ADVISED.clear();
    }

    @Test
    void deliversOnTheThreadOfTheHandler() {
        orders.publish(new OrderPlaced("1", 1));
        assertThat(Mail.RECEIVED).isEmpty();

        outbox.drain();

        assertThat(outbox)
                .published(OrderPlaced.class)
                .forAggregate("order", "1")
                .handledBy("mail.confirm")
                .handledBy("mail.expensive");
        assertThat(Mail.RECEIVED).containsExactly(new OrderPlaced("1", 1));
        assertThat(Mail.THREADS).containsExactly(Thread.currentThread());
        assertThat(publications()).isEmpty();
    }

    @Test
    void retriesInOrder() {
        Mail.failing = true;
        orders.publish(new OrderPlaced("1", 1), new OrderPlaced("1", 2));
        outbox.drain();
        assertThat(outbox)
                .published(OrderPlaced.class)
                .withPayload(new OrderPlaced("1", 1))
                .isRetrying()
                .withError("no connection");
        assertThat(Mail.THREADS).hasSize(1);
        assertThat(letters()).isEmpty();

        Mail.failing = false;
        outbox.advance(Duration.ofMinutes(1)).drain();

        assertThat(letters()).containsExactly("11", "12");
        assertThat(publications()).isEmpty();
    }

    @Test
    void listenerAndDeduplicationShareATransaction() {
        orders.publish(new OrderPlaced("1", 1));

        outbox.drain();

        assertThat(jdbc.sql("SELECT xmin::text FROM letter").query(String.class).list())
                .isEqualTo(jdbc.sql("SELECT xmin::text FROM events.processed_event WHERE handler_id = 'mail.confirm'")
                        .query(String.class)
                        .list())
                .hasSize(1);
        outbox.verifyIdempotent("mail.confirm");
    }

    @Test
    void conditionHoldsAtDelivery() {
        orders.publish(new OrderPlaced("1", 1), new OrderPlaced("1", 2));

        outbox.drain();

        assertThat(Mail.RECEIVED).contains("expensive 2").doesNotContain("expensive 1");
    }

    @Test
    void conditionSeesEventsOfSpringsClass() {
        orders.publish(new ShopOpened("Ulm"), new ShopOpened("Bonn"));

        outbox.drain();

        assertThat(Mail.RECEIVED).containsExactly("opened in Ulm");
    }

    @Test
    void otherAdviceApplies() {
        orders.publish(new OrderPlaced("1", 1));

        outbox.drain();

        assertThat(Shop.ADVISED).containsExactly("confirm");
    }

    @Test
    void externalizedEventIsStoredOnceByTargetAndKey() {
        orders.publish(new ParcelSent("p"), new LeafletPrinted("sale"));

        outbox.drain();

        assertThat(outbox)
                .published(ParcelSent.class)
                .times(1)
                .forAggregate("shop.parcels", "p")
                .handledBy("mail.parcel");
        assertThat(outbox.events().stream()
                        .filter((event) -> event.envelope().aggregateType().equals(OutboxEvent.UNORDERED)))
                .hasSize(1);
        assertThat(Mail.RECEIVED).containsExactly(new ParcelSent("p"), false);
        assertThat(publications()).isEmpty();
    }

    @Test
    void externalizedEventWithoutSuchAListenerIsNotStored() {
        orders.publish(new ShopClosed("holiday"));

        assertThat(outbox).publishedNothing();
    }

    @Test
    void unmarkedEventStaysWithSpringModulith() {
        orders.publish(new StockCounted("lamp"));

        await().until(() -> Mail.RECEIVED.contains(new StockCounted("lamp")));
        assertThat(outbox).publishedNothing();
        assertThat(Mail.THREADS).doesNotContain(Thread.currentThread());
        assertThat(publications()).containsExactly(StockCounted.class.getName());
    }

    @Test
    void storedEventNeedsATransaction() {
        assertThatThrownBy(() -> events.publishEvent(new ParcelSent("p")))
                .isInstanceOf(InvalidTransactionException.class)
                .hasMessageStartingWith("Spring event " + ParcelSent.class.getName() + " was not stored: ");
    }

    /** Spring passes subclasses to a listener, but a handler takes one event type. */
    @Test
    void subclassThatReachesNoHandlerIsRefused() {
        orders.publish(new Complaint());
        outbox.drain();
        assertThat(Mail.RECEIVED).containsExactly("late");

        assertThatThrownBy(() -> orders.publish(new LoudComplaint()))
                .isInstanceOf(InvalidEventException.class)
                .hasMessage("Spring event " + LoudComplaint.class.getName() + " does not reach "
                        + Mail.class.getName() + ".complaint, because a handler takes no subclasses; let the listener"
                        + " take this class, or a sealed type");
    }

    @Test
    void storedEventsRaiseNoWarning(CapturedOutput output) {
        orders.publish(new ParcelSent("p"), new OrderPlaced("1", 1));
        outbox.drain();

        assertThat(output).doesNotContain("WARN");
    }

    /** The profile full runs this class with the oldest version too. */
    @Test
    void versionOfSpringModulithIsTheGivenOne() {
        URL jar = ApplicationModuleListener.class
                .getProtectionDomain()
                .getCodeSource()
                .getLocation();

        assertThat(jar.getPath()).contains("-" + System.getProperty("modulith.version") + ".jar");
    }

    private List<String> letters() {
        return jdbc.sql("SELECT content FROM letter").query(String.class).list();
    }

    private List<String> publications() {
        return jdbc.sql("SELECT event_type FROM event_publication")
                .query(String.class)
                .list();
    }
}
