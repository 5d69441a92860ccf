//! probe
use sprig_engine::*;
use std::ops::ControlFlow;
use std::collections::{HashMap,HashSet};
fn main(){
    let n:usize=std::env::args().nth(1).unwrap().parse().unwrap();
    let p=CanonicalPosition::of(&Position::start(n));
    let mut g=Generator::default(); let mut c=Canonizer::new(Effort::Greedy);
    let mut seen:rustc_hash::FxHashSet<Box<[u8]>>=Default::default();
    let mut raws:rustc_hash::FxHashSet<Box<[u8]>>=Default::default();
    let mut stack:Vec<Box<[u8]>>=vec![];
    for l in p.lands(){ let k:Box<[u8]>=c.key(l.key()).into(); seen.insert(k.clone()); stack.push(k);}    
    let (mut children,mut nl)=(0u64,0u64);
    let mode=std::env::args().nth(2).unwrap_or_default();
    while let Some(k)=stack.pop(){
        let _=g.children(&k,|lands|{children+=1; for l in lands.iter(){nl+=1; if mode=="raw"{ if !raws.insert(l.into()){continue;} } let key=c.key(l); if !seen.contains(key){seen.insert(key.into());stack.push(key.into());}} ControlFlow::<()>::Continue(())}).unwrap();
    }
    if mode.starts_with("rec"){ let bits:u32=mode[3..].parse().unwrap(); let mut lines=vec![(0u8,[0u8;59]);1<<bits]; let mut hits=0u64; let mut tot=0u64;
      for k in &seen{ let _=g.children(k,|l|{for l in l.iter(){ tot+=1; use std::hash::Hasher; let mut h=rustc_hash::FxHasher::default(); h.write(l); let line=&mut lines[(h.finish()>>(64-bits)) as usize]; if l.len()<=59 && line.0 as usize==l.len() && &line.1[..l.len()]==l{hits+=1;} else if l.len()<=59 {line.0=l.len() as u8; line.1[..l.len()].copy_from_slice(l);} } ControlFlow::<()>::Continue(())}).unwrap();}
      println!("hits {hits} of {tot}"); }
    println!("lands {} children {} landrefs {} raws {}",seen.len(),children,nl,raws.len());
    if mode=="gen"{ let t=std::time::Instant::now(); let mut x=0u64; for k in &seen{ let _=g.children(k,|l|{x+=l.iter().count() as u64;ControlFlow::<()>::Continue(())}).unwrap();} println!("gen only {:?} {x}",t.elapsed());
     let _:HashMap<u8,u8>=HashMap::new(); let _:HashSet<u8>=HashSet::new();
    }
}
