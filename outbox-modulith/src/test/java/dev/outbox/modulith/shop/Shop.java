package dev.outbox.modulith.shop;

import com.fasterxml.jackson.annotation.JsonCreator;
import com.fasterxml.jackson.annotation.JsonIgnoreProperties;
import com.fasterxml.jackson.annotation.JsonProperty;
import dev.outbox.Outboxed;
import java.lang.annotation.Retention;
import java.lang.annotation.RetentionPolicy;
import java.util.List;
import java.util.concurrent.CopyOnWriteArrayList;
import org.aopalliance.intercept.MethodInterceptor;
import org.springframework.aop.support.DefaultPointcutAdvisor;
import org.springframework.aop.support.annotation.AnnotationMatchingPointcut;
import org.springframework.beans.factory.config.BeanDefinition;
import org.springframework.boot.autoconfigure.SpringBootApplication;
import org.springframework.context.ApplicationEvent;
import org.springframework.context.ApplicationEventPublisher;
import org.springframework.context.annotation.Bean;
import org.springframework.context.annotation.Role;
import org.springframework.core.annotation.AliasFor;
import org.springframework.jdbc.core.simple.JdbcClient;
import org.springframework.modulith.events.ApplicationModuleListener;
import org.springframework.modulith.events.Externalized;
import org.springframework.stereotype.Component;
import org.springframework.transaction.annotation.Propagation;
import org.springframework.transaction.annotation.Transactional;
import org.springframework.transaction.support.TransactionSynchronizationManager;

@SpringBootApplication
class Shop {

    @Outboxed(aggregateType = "order", aggregateId = "order")
    record OrderPlaced(String order, int number) {}

    @Externalized("shop.parcels::#{parcel()}")
    record ParcelSent(String parcel) {}

    @Externalized("shop.leaflets")
    record LeafletPrinted(String title) {}

    @Externalized("shop.closings")
    record ShopClosed(String reason) {}

    record StockCounted(String article) {}

    @Outboxed
    static class Complaint {

        public String text = "late";
    }

    static class LoudComplaint extends Complaint {}

    @Outboxed
    @JsonIgnoreProperties({"source", "timestamp"})
    static class ShopOpened extends ApplicationEvent {

        private static final long serialVersionUID = 1L;

        final String town;

        @JsonCreator
        ShopOpened(@JsonProperty("town") String town) {
            super(town);
            this.town = town;
        }

        public String getTown() {
            return town;
        }
    }

    @ApplicationModuleListener
    @Retention(RetentionPolicy.RUNTIME)
    @interface Listener {

        @AliasFor(annotation = ApplicationModuleListener.class)
        String id() default "";
    }

    /** Calls of advice that is not Spring's. */
    static final List<String> ADVISED = new CopyOnWriteArrayList<>();

    @Bean
    @Role(BeanDefinition.ROLE_INFRASTRUCTURE)
    static DefaultPointcutAdvisor audit() {
        MethodInterceptor interceptor = (invocation) -> {
            ADVISED.add(invocation.getMethod().getName());
            return invocation.proceed();
        };
        return new DefaultPointcutAdvisor(
                AnnotationMatchingPointcut.forMethodAnnotation(ApplicationModuleListener.class), interceptor);
    }

    @Component
    static class Orders {

        private final ApplicationEventPublisher events;

        Orders(ApplicationEventPublisher events) {
            this.events = events;
        }

        @Transactional
        public void publish(Object... published) {
            for (Object event : published) {
                events.publishEvent(event);
            }
        }
    }

    @Component("mail")
    static class Mail {

        static final List<Object> RECEIVED = new CopyOnWriteArrayList<>();
        static final List<Thread> THREADS = new CopyOnWriteArrayList<>();
        static volatile boolean failing;

        private final JdbcClient jdbc;

        Mail(JdbcClient jdbc) {
            this.jdbc = jdbc;
            jdbc.sql("CREATE TABLE IF NOT EXISTS letter (content text NOT NULL)")
                    .update();
        }

        @ApplicationModuleListener
        void confirm(OrderPlaced event) {
            THREADS.add(Thread.currentThread());
            jdbc.sql("INSERT INTO letter VALUES (?)")
                    .param(event.order() + event.number())
                    .update();
            if (failing) {
                throw new IllegalStateException("no connection");
            }
            RECEIVED.add(event);
        }

        @ApplicationModuleListener(
                id = "mail.expensive",
                condition = "#event.number > 1 && event.payload == #a0 && @mail != null")
        void expensive(OrderPlaced event) {
            RECEIVED.add("expensive " + event.number());
        }

        @Listener(id = "mail.parcel")
        public void parcel(ParcelSent event) {
            RECEIVED.add(event);
        }

        @ApplicationModuleListener(propagation = Propagation.NOT_SUPPORTED)
        void leaflet(LeafletPrinted event) {
            RECEIVED.add(TransactionSynchronizationManager.isActualTransactionActive());
        }

        @ApplicationModuleListener(condition = "#event.town == 'Ulm'")
        void opened(ShopOpened event) {
            RECEIVED.add("opened in " + event.town);
        }

        @ApplicationModuleListener
        void complaint(Complaint event) {
            RECEIVED.add(event.text);
        }

        @ApplicationModuleListener
        void count(StockCounted event) {
            THREADS.add(Thread.currentThread());
            RECEIVED.add(event);
        }
    }
}
