#!/busybox sh
# The first program of a virtual machine: the host's own files, read-only, under what this machine writes.
/busybox --install -s /bin
export PATH=/bin
mkdir -p /proc /lower /over /new
mount -t proc proc /proc
mount -t devtmpfs devtmpfs /dev
fail() { echo "wirespeed: failed: $*" >/dev/console; poweroff -f; }
while read -r module; do
    insmod "/modules/$module" || fail "insmod $module"
done </modules/order
mount -t 9p -o ro,trans=virtio,version=9p2000.L,msize=262144,cache=loose root /lower || fail "mount the host's files"
mount -t tmpfs -o mode=755 tmpfs /over
mkdir /over/upper /over/work
mount -t overlay -o lowerdir=/lower,upperdir=/over/upper,workdir=/over/work overlay /new || fail "mount the overlay"
mount --move /dev /new/dev || fail "the host has no /dev"
mount --move /proc /new/proc
mount -t sysfs sysfs /new/sys
mount -t tmpfs -o mode=755 tmpfs /new/run
cp -a /machine /new/run/wirespeed
mkdir /new/run/wirespeed/bin
cp /busybox /new/run/wirespeed/bin
for name in chmod chown cp cut ln mkdir mount rm sed sh sleep uname unshare; do
    ln -s busybox "/new/run/wirespeed/bin/$name"
done
exec switch_root /new /run/wirespeed/bin/sh /run/wirespeed/boot
